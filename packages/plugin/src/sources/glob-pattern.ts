// Parses path patterns into steps.

/** One step of a path pattern: a name as it is, a name by shape, or any depth (`**`). */
export type Segment =
  | { readonly kind: "literal"; readonly name: string }
  | { readonly kind: "shape"; readonly matches: (name: string) => boolean }
  | Globstar;

export interface Globstar {
  readonly kind: "globstar";
  readonly matches: (name: string) => boolean;
  /** As in the host's library: links are walked once, but not by a `**` that comes first. */
  readonly links: "once" | "never";
}

/** Whether `*` and `**` match names that begin with a dot. */
export type DotNames = "matched" | "unmatched";

const magic = /[*?[\\]|[@+!]\(/;

export function isPattern(text: string): boolean {
  return magic.test(text) || expandBraces(text).length > 1;
}

export function parseSegments(pattern: string, dots: DotNames): readonly Segment[] {
  return pattern
    .split("/")
    .filter((name, index, all) => (index === 0 || name !== "") && !repeats(name, all[index - 1]))
    .map((name, index) => parseSegment(name, index, dots));
}

function repeats(name: string, previous: string | undefined): boolean {
  return name === "**" && previous === "**";
}

function parseSegment(name: string, index: number, dots: DotNames): Segment {
  const visible = (candidate: string) => dots === "matched" || !candidate.startsWith(".");
  if (name === "**") {
    return { kind: "globstar", matches: visible, links: index === 0 ? "never" : "once" };
  }
  if (!magic.test(name)) return { kind: "literal", name };
  const shape = compile(name);
  const allowed = name.startsWith(".") ? () => true : visible;
  return { kind: "shape", matches: (candidate) => allowed(candidate) && shape.test(candidate) };
}

/** A name that can't be understood (`[b-a]`) matches nothing. */
function compile(name: string): RegExp {
  try {
    return new RegExp(`^(?:${translate(name)})$`, "su");
  } catch {
    return /^\b$/;
  }
}

/** `a{b,c{d,e}}{1..3}` as the list of its alternatives, in order. */
export function expandBraces(pattern: string): readonly string[] {
  const open = openBrace(pattern);
  if (open === null) return [pattern];
  const head = pattern.slice(0, open.start);
  const rest = expandBraces(pattern.slice(open.end + 1));
  return open.options
    .flatMap((option) => expandBraces(option))
    .flatMap((option) => rest.map((tail) => `${head}${option}${tail}`));
}

interface Brace {
  readonly start: number;
  readonly end: number;
  readonly options: readonly string[];
}

/** The first brace that is an alternative or a range; braces without a comma are plain text. */
function openBrace(pattern: string): Brace | null {
  for (let start = pattern.indexOf("{"); start !== -1; start = pattern.indexOf("{", start + 1)) {
    const options: string[] = [];
    let depth = 0;
    let from = start + 1;
    for (let at = start; at < pattern.length; at += 1) {
      const char = pattern[at];
      if (char === "\\") at += 1;
      else if (char === "{") depth += 1;
      else if (char === "," && depth === 1) {
        options.push(pattern.slice(from, at));
        from = at + 1;
      } else if (char === "}") {
        depth -= 1;
        if (depth > 0) continue;
        const last = pattern.slice(from, at);
        if (options.length > 0) return { start, end: at, options: [...options, last] };
        const range = numbers(last);
        if (range !== null) return { start, end: at, options: range };
        break;
      }
    }
  }
  return null;
}

function numbers(text: string): readonly string[] | null {
  const bounds = /^(-?\d{1,4})\.\.(-?\d{1,4})$/.exec(text);
  if (bounds === null) return null;
  const first = Number(bounds[1]);
  const last = Number(bounds[2]);
  const step = first <= last ? 1 : -1;
  return Array.from({ length: Math.abs(last - first) + 1 }, (_, index) =>
    String(first + index * step),
  );
}

/** The source of a regular expression for one name. */
function translate(name: string): string {
  let source = "";
  for (let at = 0; at < name.length; at += 1) {
    const rest = name.slice(at);
    const group = /^([?*+@!])\(([^()]*)\)/.exec(rest);
    const set = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
    if (group !== null) {
      const options = (group[2] ?? "").split("|").map(translate).join("|");
      source +=
        group[1] === "!"
          ? `(?:(?!(?:${options})${translate(rest.slice(group[0].length))}$).*)`
          : `(?:${options})${group[1] === "@" ? "" : group[1]}`;
      at += group[0].length - 1;
    } else if (set !== null) {
      const members = (set[2] ?? "").replace(/[\\\][&^]/g, "\\$&");
      source += `[${set[1] === "" ? "" : "^"}${members}]`;
      at += set[0].length - 1;
    } else if (rest.startsWith("*")) source += ".*";
    else if (rest.startsWith("?")) source += ".";
    else if (rest.startsWith("\\") && rest.length > 1) {
      at += 1;
      source += quote(name[at] ?? "");
    } else source += quote(name[at] ?? "");
  }
  return source;
}

function quote(char: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(char) ? `\\${char}` : char;
}
