// Which earlier results a step used, seen by what it says: one pass over a session's texts.

import { eachRareWord, rareWords } from "./rare-words.ts";

/** What of a step's texts can have come from results. */
export interface StepTexts {
  /** Its words, and its calls' arguments. */
  readonly texts: readonly string[];
  /** Of the files that it edits. */
  readonly editedText: string;
}

interface ResultTexts {
  /** Number of the newest result that holds it. */
  result: number;
  /** How many do. */
  results: number;
  /** Since then a prompt, or the model itself, has said it. */
  isSaid: boolean;
}

/** What more results than these hold says nothing of any. */
const MAX_RESULTS = 4;
/** So many tokens of one result show that it was used; or one line. */
const MIN_TOKENS = 2;
const MIN_LINE_CHARS = 25;

/** Is fed a session's texts in their order. Prompts and the model's words never count as brought. */
export class Uses {
  /** All that was read; `own`: what no result had brought when it was first said. */
  readonly #known = new Map<string, ResultTexts | "own">();

  prompt(text: string): void {
    this.#say(rareWords(text));
  }

  /** The results that the step used, in the order in which it says so; its words are then said. */
  step({ texts, editedText }: StepTexts): readonly number[] {
    const tokens = new Set(texts.flatMap((text) => [...rareWords(text)]));
    const lines = collectLongLines(editedText);
    const weights = new Map<number, number>();
    const weigh = (key: string, weight: number) => {
      const brought = this.#known.get(key) ?? "own";
      if (brought === "own" || brought.isSaid || brought.results > MAX_RESULTS) return;
      weights.set(brought.result, (weights.get(brought.result) ?? 0) + weight);
    };
    for (const token of tokens) weigh(token, 1);
    for (const line of lines) weigh(line, MIN_TOKENS);
    this.#say(tokens);
    this.#say(lines);
    return [...weights].flatMap(([result, weight]) => (weight >= MIN_TOKENS ? [result] : []));
  }

  result(number: number, text: string): void {
    const bare = text.replace(LINE_NUMBERS, "");
    eachRareWord(bare, (word) => this.#bring(word, number));
    eachLongLine(bare, (line) => this.#bring(line, number));
  }

  #bring(key: string, result: number): void {
    const brought = this.#known.get(key);
    if (!brought) {
      this.#known.set(key, { result, results: 1, isSaid: false });
      return;
    }
    if (brought === "own" || brought.result === result) return;
    brought.result = result;
    brought.results += 1;
    brought.isSaid = false;
  }

  #say(keys: ReadonlySet<string>): void {
    for (const key of keys) {
      const brought = this.#known.get(key);
      if (!brought) this.#known.set(key, "own");
      else if (brought !== "own") brought.isSaid = true;
    }
  }
}

/** In front of the lines that the host's tools return. */
const LINE_NUMBERS = /^\s*\d+[|:\t] ?/gm;

function collectLongLines(text: string): ReadonlySet<string> {
  const lines = new Set<string>();
  eachLongLine(text, (line) => lines.add(line));
  return lines;
}

/** Without what stands around it. */
function eachLongLine(text: string, found: (line: string) => void): void {
  for (let from = 0; from < text.length; ) {
    const newline = text.indexOf("\n", from);
    const end = newline < 0 ? text.length : newline;
    if (end - from >= MIN_LINE_CHARS) {
      const line = text.slice(from, end).trim();
      if (line.length >= MIN_LINE_CHARS) found(line);
    }
    from = end + 1;
  }
}
