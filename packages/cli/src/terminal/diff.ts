// Renders the line-by-line difference between two texts.
import type { Style } from "./style.ts";

const CONTEXT_LINES = 2;

/** Renders the change between two texts that differ in one place, with the lines around it. */
export function renderDiff(before: string, after: string, style: Style): string {
  const old = splitLines(before);
  const fresh = splitLines(after);
  const shorter = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < shorter && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === fresh.at(-1 - tail)) tail++;
  const context = (lines: readonly string[]) => lines.map((line) => style.dim(`  ${line}`));
  return [
    ...context(fresh.slice(Math.max(0, head - CONTEXT_LINES), head)),
    ...old.slice(head, old.length - tail).map((line) => style.bad(`- ${line}`)),
    ...fresh.slice(head, fresh.length - tail).map((line) => style.good(`+ ${line}`)),
    ...context(fresh.slice(fresh.length - tail, fresh.length - tail + CONTEXT_LINES)),
  ].join("\n");
}

function splitLines(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
