// Lines of text with tones, which the theme colours.
import { makeVisible } from "../status/wording.ts";

/** The role of a text, by which the theme gives it a colour. */
export type Tone =
  | "title"
  | "text"
  | "muted"
  | "good"
  | "warning"
  | "error"
  | "tools"
  | "baseline"
  | "history"
  | "updates"
  | "conversation";

export interface Segment {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Segment[];

/**
 * Makes a segment. This is the only way to make one, so that text from a session can't control the terminal.
 */
export function segment(tone: Tone, text: string): Segment {
  return { tone, text: makeVisible(text) };
}

/** Counts the columns; every character that is shown takes one. */
export function measureLineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

export function toPlainText(line: Line): string {
  return line.map(({ text }) => text).join("");
}

/** Says whether two texts look the same, so that nothing has to be drawn again. */
export function areLinesEqual(left: readonly Line[], right: readonly Line[]): boolean {
  return (
    left.length === right.length && left.every((line, index) => isSameLine(line, right[index]))
  );
}

function isSameLine(left: Line, right: Line | undefined): boolean {
  return (
    right?.length === left.length &&
    left.every(({ text, tone }, index) => right[index]?.text === text && right[index].tone === tone)
  );
}
