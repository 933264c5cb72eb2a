/** What a text is, by which the theme gives it a colour. */
export type Tone =
  | "title"
  | "text"
  | "muted"
  | "good"
  | "warning"
  | "error"
  | "tools"
  | "baseline"
  | "updates"
  | "conversation";

export interface Segment {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Segment[];

export function segment(tone: Tone, text: string): Segment {
  return { tone, text };
}

/** In columns; every character that is shown takes one. */
export function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + text.length, 0);
}

export function plain(line: Line): string {
  return line.map(({ text }) => text).join("");
}
