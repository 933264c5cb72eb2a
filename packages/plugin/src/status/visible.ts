// Shows control characters as text, so that nothing stored can control a terminal.

/**
 * Matches C0, DEL and C1, which terminals act on; line and paragraph separators; and the characters that turn
 * the direction of writing, which make a text look like another one.
 */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const BY_NAME: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Renders a text that stands within a line: `\x1b`, `\n`, `\u202e`. */
export function makeVisible(text: string): string {
  return text.replace(CONTROL, (character) => BY_NAME[character] ?? escapeCharacter(character));
}

/** Renders a text with lines of its own, and keeps these and tabs. */
export function visibleLines(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(/[^\n\t]+/g, makeVisible);
}

/** Returns a value with every string in it made visible; a field called `text` keeps its lines. */
export function visibleIn<T>(value: T): T {
  return mapDeep(value, makeVisible) as T;
}

function mapDeep(value: unknown, show: (text: string) => string): unknown {
  if (typeof value === "string") return show(value);
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, show));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      makeVisible(name),
      mapDeep(field, name === "text" ? visibleLines : makeVisible),
    ]),
  );
}

/** Returns equal JSON without any such character, since JSON.stringify escapes C0 alone. */
export function visibleJson(json: string): string {
  return json.replace(/[^\n]+/g, (line) => line.replace(CONTROL, unicodeEscape));
}

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0);
  return code > 0xff ? unicodeEscape(character) : `\\x${code.toString(16).padStart(2, "0")}`;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
