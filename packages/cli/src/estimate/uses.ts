// Finds the earlier results that a step used, by the words that it repeats, in one pass over a session's texts.

import { eachRareWord, rareWords } from "./rare-words.ts";

/** Holds a step's texts that may come from results. */
export interface StepTexts {
  /** The step's words, and its calls' arguments. */
  readonly texts: readonly string[];
  /** The old and new text of the step's edits. */
  readonly editedText: string;
}

interface ResultTexts {
  /** The number of the newest result that holds the text. */
  result: number;
  /** Counts the results that hold the text. */
  results: number;
  /** Says whether a prompt or the model itself has repeated the text since then. */
  isSaid: boolean;
}

/** Limits the results that hold a text: one in more of them points to none. */
const MAX_RESULTS = 4;
/** Sets how many rare words of one result show that it was used; one long line shows it, too. */
const MIN_TOKENS = 2;
const MIN_LINE_CHARS = 25;

/**
 * Tracks uses while it is fed a session's texts in order. Words from prompts or the model itself belong to no result.
 */
export class Uses {
  /** Holds all words and lines so far; `own` marks those that were said before any result held them. */
  readonly #known = new Map<string, ResultTexts | "own">();

  prompt(text: string): void {
    this.#say(rareWords(text));
  }

  /** Returns the results that the step used, in order of first mention, and marks its words as said. */
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

/** Matches the line numbers that the host's tools put in front of lines. */
const LINE_NUMBERS = /^\s*\d+[|:\t] ?/gm;

function collectLongLines(text: string): ReadonlySet<string> {
  const lines = new Set<string>();
  eachLongLine(text, (line) => lines.add(line));
  return lines;
}

/** Calls `found` with each long line, trimmed. */
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
