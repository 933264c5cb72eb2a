// Breaks a text between words, as wide as a terminal.
import stringWidth from "fast-string-width";
import type { Sink } from "./terminal.ts";

/** Breaks a text into lines. A word that is longer than a line, such as a path, stays whole. */
export function wrapped(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((line) => wrappedLine(line, columns));
}

/** Wraps a text to a terminal's width; a pipe gets it unchanged. */
export function fitted(text: string, { isTTY, columns }: Pick<Sink, "isTTY" | "columns">): string {
  return isTTY === true && columns !== undefined ? wrapped(text, columns).join("\n") : text;
}

function wrappedLine(line: string, columns: number): readonly string[] {
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(indent.length).split(" ")) {
    const longer = current === "" ? indent + word : `${current} ${word}`;
    if (current === "" || stringWidth(longer) <= columns) current = longer;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current];
}
