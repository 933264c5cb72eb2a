// Reads a Markdown file as headings, bullets, boxes and text, without code and comments.

/** One line of a Markdown file as people write them; code blocks and comments are left out. */
export type OutlineLine =
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | {
      readonly kind: "item";
      /** Columns that the bullet is indented by. */
      readonly indent: number;
      readonly box: "open" | "done" | null;
      readonly text: string;
    }
  | { readonly kind: "text"; readonly indent: number; readonly text: string }
  | { readonly kind: "blank" };

/** Longest line that is looked at, in UTF-16 units. */
const LINE_UNITS = 2000;

/** Most lines of one file that are looked at. */
const MOST_LINES = 20_000;

export function outline(text: string): readonly OutlineLine[] {
  const lines = withoutComments(text)
    .replace(/\r\n?/g, "\n")
    .split("\n", MOST_LINES)
    .map((line) => line.slice(0, LINE_UNITS));
  return withoutFences(lines).map(lineOf);
}

/** Found by search, not by an expression: a file of openings alone must not cost its square. */
export function withoutComments(text: string): string {
  let kept = "";
  let from = 0;
  for (;;) {
    const start = text.indexOf("<!--", from);
    const end = start === -1 ? -1 : text.indexOf("-->", start + 4);
    if (end === -1) return kept + text.slice(from);
    kept += text.slice(from, start);
    from = end + 3;
  }
}

/** Code blocks hold examples, not fields. One that never ends is none. */
function withoutFences(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const endless = new Set<string>();
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const mark = /^\s{0,3}(```|~~~)/.exec(line)?.[1];
    if (mark === undefined || endless.has(mark)) {
      kept.push(line);
      continue;
    }
    const end = closingLine(lines, mark, at + 1);
    if (end === -1) endless.add(mark);
    else at = end;
  }
  return kept;
}

function closingLine(lines: readonly string[], mark: string, from: number): number {
  for (let at = from; at < lines.length; at += 1) {
    if (lines[at]?.trimStart().startsWith(mark)) return at;
  }
  return -1;
}

function lineOf(raw: string): OutlineLine {
  const line = raw.replace(/\t/g, "    ");
  if (line.trim() === "") return { kind: "blank" };
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
  if (heading) return { kind: "heading", level: heading[1]?.length ?? 1, text: plain(heading[2]) };
  const indent = line.length - line.trimStart().length;
  const item = /^\s*(?:[-*+•]|\d{1,4}[.)])\s+(.*)$/.exec(line);
  const boxed = /^\s*\[([ xX~/\->✓✔])\]\s+(.*)$/.exec(item?.[1] ?? line);
  if (boxed) {
    const box = /[xX✓✔]/.test(boxed[1] ?? "") ? "done" : "open";
    return { kind: "item", indent, box, text: plain(boxed[2]) };
  }
  if (item) return { kind: "item", indent, box: null, text: plain(item[1]) };
  return { kind: "text", indent, text: plain(line.trim().replace(/^>\s?/, "")) };
}

/** Without emphasis; a text struck through is no text any more. */
function plain(text: string | undefined): string {
  return (text ?? "")
    .replace(/~~[^~]*~~/g, "")
    .replace(/\*\*|__/g, "")
    .replace(/(?<![\w*])\*(?=\S)([^*]*)(?<=\S)\*(?![\w*])/g, "$1")
    .trim();
}

/** `Name: value`, in whatever emphasis; null for a text without a name in front. */
export function labelOf(text: string): { readonly name: string; readonly value: string } | null {
  const found = /^([^:`]{1,60}?)\s*:(?:\s+(.*))?$/.exec(text);
  return found ? { name: found[1] ?? "", value: found[2]?.trim() ?? "" } : null;
}
