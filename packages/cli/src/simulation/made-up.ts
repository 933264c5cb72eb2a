// Words for a recorded session: each text to its size, each needed result with what the step will say of it.
import { toolKind } from "../../../plugin/src/ledger/host-tools.ts";
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

/** Two words that one result brings and one step says. */
export type WordPair = readonly [string, string];

/** A need of a step: the result, and the words by which one sees that it is still shown. */
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

  /** The same for the same record: who plays it in several ways makes its words once. */
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

  /** The call that brings this result; the same words whenever it is made. */
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
   * What is said in a step, after its number: what it uses, whole even where the record has fewer words,
   * since its arguments held it then; empty where nothing was said. What closes a turn is at least so long
   * that one knows it by its words.
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

  /** At least so long that one knows it by its words. */
  createPrompt(chars: number, number: number): string {
    const name = `u${number}`;
    return lines(name, longEnough(name, chars));
  }
}

function longEnough(name: string, chars: number): number {
  return Math.max(chars, lineHead(name, 1).length);
}

/** What a made-up line begins with, and no other. */
function lineHead(name: string, number: number): string {
  return `${name}of${number}c`;
}

function createMarks(step: number, result: number): WordPair {
  return [`used${step}of${result}a`, `used${step}of${result}b`];
}

/** The beginnings of made-up lines of prompts and answers that stand in a text. */
export function lineHeadsIn(text: string): readonly string[] {
  return text.match(/\b[us]\d+of\d+c/g) ?? [];
}

/** The words of `marksOf` that stand in a text. */
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
  // What changes something is made for this call alone; the rest is the same for the same target.
  const words = (name: string, taken: object) => lines(name, chars - JSON.stringify(taken).length);
  switch (toolKind(tool)) {
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
 * So many characters, a line break counted as the two that it takes in JSON; differs with the name. Each
 * line has a word of its own, as code has: what will be used stands out nowhere.
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

/** Spread over the text, each at the end of a line of it. */
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
