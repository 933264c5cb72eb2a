// Lists the host's own tools by name (OpenCode 1.18.33), and reads their calls and commands' templates.
import type { ToolPart } from "./message.ts";

export type ToolKind =
  | "read"
  /** The arguments hold the file's entire new content. */
  | "write"
  /** The arguments hold a part of the file's new content. */
  | "edit"
  | "run"
  | "todos written"
  | "todos read"
  | "skill"
  /** The call searches, lists or fetches, and changes nothing. */
  | "look"
  /** The user answers the call. */
  | "question"
  /** The user approves the plan that was written before. */
  | "plan handed over"
  | "other";

interface HostTool {
  readonly kind: ToolKind;
  /** The arguments that identify a call, in this order; if not given, the first text does. */
  readonly says?: readonly string[];
}

const HOST_TOOLS: ReadonlyMap<string, HostTool> = new Map(
  Object.entries<HostTool>({
    read: { kind: "read", says: ["filePath"] },
    write: { kind: "write", says: ["filePath"] },
    edit: { kind: "edit", says: ["filePath"] },
    patch: { kind: "edit", says: ["filePath"] },
    multiedit: { kind: "edit" },
    apply_patch: { kind: "edit" },
    bash: { kind: "run", says: ["command"] },
    grep: { kind: "look", says: ["pattern", "include", "path"] },
    glob: { kind: "look", says: ["pattern", "path"] },
    list: { kind: "look", says: ["path"] },
    webfetch: { kind: "look", says: ["url"] },
    websearch: { kind: "look", says: ["query"] },
    codesearch: { kind: "look" },
    question: { kind: "question" },
    plan_exit: { kind: "plan handed over" },
    skill: { kind: "skill", says: ["name"] },
    task: { kind: "other", says: ["description"] },
    todowrite: { kind: "todos written" },
    todoread: { kind: "todos read" },
  }),
);

export function classifyTool(name: string): ToolKind {
  return HOST_TOOLS.get(name)?.kind ?? "other";
}

/** Lists the arguments that identify a call; null if the tool is unknown. */
export function listIdentifyingArguments(name: string): readonly string[] | null {
  return HOST_TOOLS.get(name)?.says ?? null;
}

/** Returns true if repeating the call changes nothing: it only reads, or writes the same list again. */
export function isHarmless(name: string): boolean {
  switch (classifyTool(name)) {
    case "read":
    case "look":
    case "question":
    case "skill":
    case "todos written":
    case "todos read":
      return true;
    case "write":
    case "edit":
    case "run":
    case "plan handed over":
    case "other":
      return false;
  }
}

/** Returns true if a call is rendered as the tool's name and the path of one file. */
export function namesOneFile(name: string): boolean {
  return listIdentifyingArguments(name)?.join() === "filePath";
}

// Renders a tool call on one line: `read src/a.ts`, `bash npm test`.

const MAX_CALL_LINE_CHARS = 100;

/** Renders the call. Paths in `directory` are relative to it, as the user and the model write them. */
export function renderCall({ tool, state }: ToolPart, directory: string): string {
  const input: unknown = state.input;
  const arguments_ = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const texts = new Map(
    arguments_.flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    ),
  );
  const telling = listIdentifyingArguments(tool) ?? [...texts.keys()].slice(0, 1);
  const words = telling.flatMap((name) => texts.get(name) ?? []);
  return toSingleLine([tool, ...words.map((word) => toRelative(word, directory))].join(" "));
}

function toRelative(word: string, directory: string): string {
  const folder = directory.endsWith("/") ? directory : `${directory}/`;
  return word.startsWith(folder) && word !== folder ? word.slice(folder.length) : word;
}

function toSingleLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_CALL_LINE_CHARS ? line : `${line.slice(0, MAX_CALL_LINE_CHARS - 1)}…`;
}

// Finds what a user typed into the placeholders of a command's template.

/** Matches placeholders of arguments, by place or all of them, and shell output, which was not typed. */
const PLACEHOLDER_PATTERN =
  /(\$(?:ARGUMENTS|@|\d+)|\$\{(?:ARGUMENTS|@|\d+)(?::[^}]*)?\})|!`[^`]+`/g;

/** If a placeholder's text holds this many words of the template in a row, it came from the template. */
const MIN_PIECE_WORDS = 3;

/**
 * Returns the words in the placeholders, one paragraph each; null if this template doesn't produce the text.
 * If there is no placeholder, a host puts the arguments after the template's end.
 */
export function extractTyped(text: string, template: string): string | null {
  const whole = template.trim();
  const holes = [...whole.matchAll(PLACEHOLDER_PATTERN)];
  const pieces = [0, ...holes.map((hole) => hole.index + hole[0].length)].map((start, at) =>
    whole.slice(start, holes[at]?.index).trim(),
  );
  const filled = extractFillings(text.trim(), pieces);
  if (!filled) return null;
  const own = pieces.filter((piece) => piece.split(/\s+/).length >= MIN_PIECE_WORDS);
  return filled
    .filter((_, at) => at === holes.length || holes[at]?.[1] !== undefined)
    .filter((words) => words !== "" && !own.some((piece) => words.includes(piece)))
    .join("\n\n");
}

/** Returns the texts between the pieces and after the last one; null if a piece is missing. */
function extractFillings(text: string, pieces: readonly string[]): readonly string[] | null {
  const filled: string[] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const isOpenEnd = piece === "" && index === pieces.length - 1;
    const found = isOpenEnd ? text.length : text.indexOf(piece, at);
    if (found === -1 || (index === 0 && found > 0)) return null;
    if (index > 0) filled.push(text.slice(at, found).trim());
    at = found + piece.length;
  }
  return [...filled, text.slice(at).trim()];
}
