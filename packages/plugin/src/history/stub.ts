// Renders stubs, each of which is one line in place of something dropped.
import { toSingleLine } from "../context/frames.ts";
import { renderCall } from "../ledger/host-tools.ts";
import type { FilePart, ToolPart } from "../ledger/message.ts";
import { deriveRef } from "../ledger/ref.ts";
import { classifySubject } from "./subject.ts";

/** The tool with which a stub's result can be seen again. */
export type RetrievalTool = "ctx_expand" | "none";

/** Both tools are needed: stubs name `ctx_expand`, and records name `ctx_search`. */
const RETRIEVAL_TOOLS = ["ctx_expand", "ctx_search"] as const;

/** Adapts the settings to one call: only tools that its model is offered are a way back. */
export function adaptToCall<Settings extends StubSettings>(
  settings: Settings,
  { withheld }: { readonly withheld: ReadonlySet<string> | null },
): Settings {
  const lacks = RETRIEVAL_TOOLS.some((name) => withheld?.has(name) ?? false);
  return lacks && settings.wayBack !== "none" ? { ...settings, wayBack: "none" } : settings;
}

export interface StubSettings {
  readonly wayBack: RetrievalTool;
  /** Stubs write paths relative to this directory. */
  readonly directory: string;
}

/** The reason why a result was dropped, as its stub gives it. */
export type DropReason = "repeated" | "outdated" | "spent" | "released" | "shortened";

/** The longest name that keeps a stub below 40 tokens, with the ref and the words around the name. */
const MAX_NAME_WEIGHT = 56;

/** Renders a stub from the call alone: the same result always has the same stub. */
export function renderStub(
  part: ToolPart,
  text: string,
  gone: DropReason,
  { wayBack, directory }: StubSettings,
): string {
  const what = `${describeCall(part, directory)}: ${describeSize(part, text)}, ${DROP_DESCRIPTIONS[gone]}`;
  return `[${what}${renderRetrievalHint(part.id, wayBack, "it")}]`;
}

const DROP_DESCRIPTIONS: Readonly<Record<DropReason, string>> = {
  repeated: "shown again below",
  outdated: "out of date",
  spent: "not shown any more",
  released: "let go",
  shortened: "shortened",
};

/** Renders the stub of a dropped file that the user had attached. */
export function renderAttachmentStub(
  { id, mime, filename }: FilePart,
  wayBack: RetrievalTool,
): string {
  const name = filename === undefined ? mime : `${clipLine(filename)} (${clipLine(mime)})`;
  return `[attachment ${name}: ${DROP_DESCRIPTIONS.spent}${renderRetrievalHint(id, wayBack, "it")}]`;
}

/** Recognises the stub of a result that was dropped for its age alone. */
export function isStaleStub(text: string): boolean {
  return text.startsWith("[") && text.includes(`, ${DROP_DESCRIPTIONS.spent}`);
}

/** Renders the way back, which follows the words that something is not shown. */
export function renderRetrievalHint(
  partId: string,
  wayBack: RetrievalTool,
  what: "it" | "them",
): string {
  const ref = deriveRef("r", partId);
  switch (wayBack) {
    case "ctx_expand":
      return `. ctx_expand ${ref} shows ${what}`;
    case "none":
      return ` (${ref})`;
  }
}

function describeCall(part: ToolPart, directory: string): string {
  const subject = classifySubject(part);
  if (subject.kind !== "change") return clipLine(renderCall(part, directory));
  return clipLine(`${part.tool} ${toRelativePath(subject.paths[0] ?? "", directory)}`);
}

function toRelativePath(path: string, directory: string): string {
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

function describeSize({ state }: ToolPart, text: string): string {
  const attachments = state.status === "completed" ? (state.attachments?.length ?? 0) : 0;
  const lines = countLines(text.trimEnd());
  const said = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  if (attachments === 0) return said;
  return text === "" ? `${attachments} attachments` : `${said} and ${attachments} attachments`;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/** Puts a name on one line, without what would end the stub's brackets. */
function clipLine(text: string): string {
  const flat = toSingleLine(text.slice(0, 4 * MAX_NAME_WEIGHT))
    .replace(/\s+/g, " ")
    .replace(/[[［⟦]/g, "(")
    .replace(/[\]］⟧]/g, ")");
  if (measureTextWeight(flat) <= MAX_NAME_WEIGHT) return flat;
  let sum = 0;
  let cut = "";
  for (const character of flat) {
    sum += measureTextWeight(character);
    if (sum > MAX_NAME_WEIGHT) break;
    cut += character;
  }
  return `${cut}…`;
}

const LAST_NARROW_CODE = 0x2e7f;
const WIDE_WEIGHT = 4;

/** Counts each character of a wide script as a whole token. */
function measureTextWeight(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) {
    sum += text.charCodeAt(index) > LAST_NARROW_CODE ? WIDE_WEIGHT : 1;
  }
  return sum;
}
