// Untrusted texts as lines of a brief: inert, instructions quoted, no repeats.
import { disarm, inert } from "./inert.ts";
import { isNothing } from "./nothing.ts";

/** Foreign texts as lines of a brief: inert, orders marked as quotations, without repeats. */
export function foreignLines(texts: readonly string[]): readonly string[] {
  const lines = texts.map((text) => disarm(inert(text))).filter((line) => !isNothing(line));
  return [...new Set(lines)];
}

/** The first of the texts that says something; null where none does. */
export function foreignLine(texts: readonly string[]): string | null {
  return foreignLines(texts)[0] ?? null;
}

/** What the user wrote, as a quotation: it may give orders, but they were given then. */
export function userQuote(text: string): string {
  return `“${inert(text, 300).replace(/[“”]/g, '"')}”`;
}

export function capitalised(line: string): string {
  return line.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** Without the end of a sentence, so that it can stand in another. */
export function unended(line: string): string {
  return line.replace(/[.;:,\s]+$/, "");
}

/** Drops what another line says in other case or with another end. */
export function withoutRepeats(lines: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return lines.filter((line) => {
    const key = unended(line).toLowerCase();
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A sentence with its places filled; a part in `[…]` is left out where one of its places has nothing. */
export function fill(template: string, values: Readonly<Record<string, string | null>>): string {
  const places = /\{(\w+)\}/g;
  const known = (text: string) =>
    [...text.matchAll(places)].every(([, name = ""]) => values[name] !== null);
  return template
    .replace(/\[([^[\]]*\{\w+\}[^[\]]*)\]/g, (_all, part: string) => (known(part) ? part : ""))
    .replace(places, (all, name: string) => values[name] ?? (name in values ? "" : all));
}
