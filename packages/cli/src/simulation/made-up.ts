// Makes up words for a recorded session: each text has its size, and each needed result the words that its step
// repeats.
import { classifyTool } from "@session-runtime/opencode/ledger/host-tools";
import {
  callsByResult,
  listSteps,
  type RecordedCall,
  type RecordedSession,
  type RecordedStep,
} from "./recorded.ts";

export interface SyntheticCall {
  readonly result: number;
  readonly tool: string;
  readonly input: Readonly<Record<string, string | number>>;
  readonly outcome: "done" | "failed";
  readonly text: string;
}

/** Holds two words that are in one result, and that one step repeats. */
export type WordPair = readonly [string, string];

/** Describes a result that a step needs, and the words that show whether it is still sent. */
export interface ResultNeed {
  readonly result: number;
  readonly marks: WordPair;
}

const MADE = new WeakMap<RecordedSession, SyntheticWords>();

export class SyntheticWords {
  readonly #calls: ReadonlyMap<number, RecordedCall>;
  readonly #needs = new Map<RecordedStep, readonly ResultNeed[]>();
  readonly #marks = new Map<number, WordPair[]>();
  readonly #made = new Map<number, SyntheticCall>();

  /** Returns the same words for the same record, so that several plays of it make them once. */
  static of(recorded: RecordedSession): SyntheticWords {
    const known = MADE.get(recorded);
    if (known) return known;
    const made = new SyntheticWords(recorded);
    MADE.set(recorded, made);
    return made;
  }

  private constructor(recorded: RecordedSession) {
    this.#calls = callsByResult(recorded);
    for (const [number, step] of listSteps(recorded).entries()) {
      const known = [...new Set(step.needs)].filter((result) => this.#calls.has(result));
      const needs = known.map((result) => ({ result, marks: createMarks(number, result) }));
      this.#needs.set(step, needs);
      for (const { result, marks } of needs) {
        this.#marks.set(result, [...(this.#marks.get(result) ?? []), marks]);
      }
    }
  }

  listNeeds(step: RecordedStep): readonly ResultNeed[] {
    return this.#needs.get(step) ?? [];
  }

  /** Returns the call with this result, always with the same words; null for an unknown result. */
  findCall(result: number): SyntheticCall | null {
    const made = this.#made.get(result);
    if (made) return made;
    const recorded = this.#calls.get(result);
    if (!recorded) return null;
    const fresh: SyntheticCall = {
      result,
      tool: recorded.tool,
      input: createCallInput(recorded),
      outcome: recorded.failed === true ? "failed" : "done",
      text: withMarks(
        rows(`r${result}`, recorded.resultChars),
        (this.#marks.get(result) ?? []).flat(),
      ).join("\n"),
    };
    this.#made.set(result, fresh);
    return fresh;
  }

  /**
   * Returns what is said in a step: the words of what it uses, whole even where the record has fewer characters,
   * since its arguments held them then; empty where nothing was said. An answer that closes a turn is at least long
   * enough to be recognised.
   */
  createAnswer(step: RecordedStep, number: number): string {
    const used = this.listNeeds(step)
      .flatMap(({ marks }) => marks)
      .join(" ");
    const closes = step.calls.length === 0;
    if (used === "" && step.chars === 0 && !closes) return "";
    const name = `s${number}`;
    const said = `${used} ${lines(name, longEnough(name, step.chars))}`.trim();
    const least = closes ? used.length + 1 + lineHead(name, 1).length : used.length;
    return said.slice(0, Math.max(1, least, step.chars));
  }

  /** Returns a prompt that is at least long enough to be recognised by its words. */
  createPrompt(chars: number, number: number): string {
    const name = `u${number}`;
    return lines(name, longEnough(name, chars));
  }
}

function longEnough(name: string, chars: number): number {
  return Math.max(chars, lineHead(name, 1).length);
}

/** Returns the unique beginning of a made-up line. */
function lineHead(name: string, number: number): string {
  return `${name}of${number}c`;
}

function createMarks(step: number, result: number): WordPair {
  return [`used${step}of${result}a`, `used${step}of${result}b`];
}

/** Finds the beginnings of made-up prompt and answer lines in a text. */
export function lineHeadsIn(text: string): readonly string[] {
  return text.match(/\b[us]\d+of\d+c/g) ?? [];
}

/** Finds the words of `createMarks` in a text. */
export function marksIn(text: string): readonly string[] {
  return text.match(/used\d+of\d+[ab]/g) ?? [];
}

function createCallInput({
  tool,
  target,
  from,
  result,
  chars,
}: RecordedCall): SyntheticCall["input"] {
  const filePath = `/project/src/part${target % 12}/file${target}.ts`;
  const again = `t${target}f${from ?? 0}`;
  // Calls that change something get words of their own; others have the same words for the same target.
  const words = (name: string, taken: object) => lines(name, chars - JSON.stringify(taken).length);
  switch (classifyTool(tool)) {
    case "read":
      return from === undefined ? { filePath } : { filePath, offset: from };
    case "edit": {
      const both = words(`c${result}`, { filePath, oldString: "", newString: "" });
      const [oldString, newString] = halves(both);
      return { filePath, oldString, newString };
    }
    case "write":
      return { filePath, content: words(`c${result}`, { filePath, content: "" }) };
    case "run":
      return { command: words(again, { command: "" }) };
    case "look":
    case "question":
    case "plan handed over":
      return { pattern: words(again, { pattern: "" }) };
    case "todos written":
    case "todos read":
    case "skill":
    case "other":
      return { text: words(`${again}c${result}`, { text: "" }) };
  }
}

function halves(text: string): readonly [string, string] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

const LINE_WORDS =
  "return the value that was kept for this part when it is called again with its own name and place";

function lines(name: string, chars: number): string {
  return rows(name, chars).join("\n");
}

/**
 * Makes lines of so many characters, a line break counted as its two in JSON; they differ by name. Each line has a
 * unique word, as code has, so that what will be used does not stand out.
 */
function rows(name: string, chars: number): readonly string[] {
  const made: string[] = [];
  let left = Math.max(1, chars);
  while (left > 0) {
    const number = made.length + 1;
    const from = (number * 37) % 48;
    const line = `${lineHead(name, number)} ${LINE_WORDS.slice(from, from + 40)}`;
    made.push(line.slice(0, left));
    left -= line.length + 2;
  }
  return [...made.slice(0, -1), made.at(-1)?.trimEnd() ?? ""];
}

/** Spreads the marks over the text, each in place of a line's first word. */
function withMarks(some: readonly string[], marks: readonly string[]): readonly string[] {
  const marked = [...some];
  for (const [index, mark] of marks.entries()) {
    const at = Math.floor(((index + 0.5) * marked.length) / marks.length);
    const row = marked[at] ?? "";
    const space = row.indexOf(" ");
    marked[at] = `${mark}${row.slice(space < 0 ? mark.length : space)}`;
  }
  return marked;
}
