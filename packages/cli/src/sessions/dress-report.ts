// Colours a plain report.
import type { Style } from "../terminal/style.ts";

/** Colours a plain report: its title, its headings and its warnings. */
export function dressReport(report: string, style: Style): string {
  return report
    .split("\n")
    .map((line, index) => dressed(line, index, style))
    .join("\n");
}

function dressed(line: string, index: number, style: Style): string {
  if (index === 0) return style.bold(line);
  if (/^─+$/.test(line)) return style.dim(line);
  if (/^\s+!/.test(line)) return style.warn(line);
  const [, label, rest] = /^([A-Z][A-Za-z ]{0,11}?)(\s{2,}.*)$/.exec(line) ?? [];
  if (label !== undefined && rest !== undefined) return style.accent(label) + rest;
  const [, heading, more] = /^([A-Z][a-z]+(?: [a-z]+)*)(:.*)?$/.exec(line) ?? [];
  return heading === undefined ? line : style.accent(heading) + (more ?? "");
}
