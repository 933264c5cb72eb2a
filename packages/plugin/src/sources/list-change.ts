// Describes what changed in a long list of the host's, as text from which the current list follows.

/** Lists shorter than this are announced whole: a whole list is easier to follow than its changes. */
export const longListChars = 8192;

/** Changes longer than this share of the current list save nothing. */
const mostOfList = 0.5;

/**
 * Holds a host's list of skills, references or MCP servers: its entries by name, in order, and the surrounding
 * text.
 */
interface List {
  readonly around: string;
  readonly entries: ReadonlyMap<string, string>;
}

/** Lists the elements that hold an entry, and how its first lines name it. */
const elements = [
  { tag: "skill", name: /^ {2}<skill>\n( {4}<name>.*<\/name>)\n/ },
  { tag: "reference", name: /^ {2}<reference>\n( {4}<name>.*<\/name>)\n/ },
  { tag: "server", name: /^( {2}<server name=".*">)\n/ },
] as const;

/**
 * Describes the entries that were removed (by name), added and changed (whole) between two renderings of a
 * list, each kind in its own element. Null where the whole list is better: it is short, most of it changed, or
 * these entries do not yield exactly the current list in the order of its names.
 */
export function listChange(previous: string, current: string): string | null {
  if (current.length < longListChars) return null;
  const [before, after] = [parseList(previous), parseList(current)];
  if (!before || !after || before.around !== after.around || !inOrder(after)) return null;
  const fresh = [...after.entries].filter(([name, text]) => before.entries.get(name) !== text);
  const change = [
    ...part(
      "removed",
      [...before.entries.keys()].filter((name) => !after.entries.has(name)),
    ),
    ...part("added", texts(fresh.filter(([name]) => !before.entries.has(name)))),
    ...part("changed", texts(fresh.filter(([name]) => before.entries.has(name)))),
  ].join("\n");
  return change.length > current.length * mostOfList || fresh.some(isMisleading) ? null : change;
}

function part(kind: string, entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? [] : [`<${kind}>`, ...entries, `</${kind}>`];
}

function texts(entries: readonly (readonly [string, string])[]): readonly string[] {
  return entries.map(([, text]) => text);
}

/**
 * Says whether an entry could be misread: the host indents all its lines except those of a multi-line
 * description.
 */
function isMisleading([, text]: readonly [string, string]): boolean {
  return text.includes("\n<");
}

function inOrder({ entries }: List): boolean {
  const names = [...entries.keys()];
  return names.every((name, index) => (names[index - 1] ?? "").localeCompare(name) < 0);
}

/** Returns null where the text is not a sequence of entries, each with its own name. */
function parseList(text: string): List | null {
  for (const { tag, name } of elements) {
    const start = text.indexOf(`\n  <${tag}`) + 1;
    if (start === 0) continue;
    const close = `\n  </${tag}>\n`;
    const entries = new Map<string, string>();
    let at = start;
    while (text.startsWith(`  <${tag}`, at)) {
      const end = text.indexOf(close, at);
      const entry = end === -1 ? "" : text.slice(at, end + close.length - 1);
      const label = name.exec(entry)?.[1];
      if (label === undefined || entries.has(label)) return null;
      entries.set(label, entry);
      at = end + close.length;
    }
    return { around: `${text.slice(0, start)}${text.slice(at)}`, entries };
  }
  return null;
}
