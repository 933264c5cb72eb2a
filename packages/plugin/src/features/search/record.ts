// Turns a message into records for recall, one per part, each as one text.
import { renderCall } from "../../ledger/host-tools.ts";
import {
  type HostMessage,
  type HostPart,
  isText,
  isTool,
  readCreatedAtMs,
  type TextPart,
  type ToolPart,
} from "../../ledger/message.ts";
import type { DocumentRecord, MessageTime } from "../../search-index/document.ts";

interface PartRecord extends DocumentRecord {
  readonly text: string;
}

/** The answers of these tools quote other records, which are searchable themselves. */
const OWN_TOOLS: ReadonlySet<string> = new Set(["ctx_search", "ctx_expand", "ctx_reduce"]);

/** The longest indexed text of one part, in UTF-16 units; the rest is not found. */
const MAX_RECORD_CHARS = 20_000_000;

/** Returns null for parts that the model never sees, and for those that aren't settled yet. */
export function toPartRecord(
  { info }: HostMessage,
  part: HostPart,
  directory: string,
): PartRecord | null {
  const base = { key: part.id, ...toMessageTime(info) };
  if (isText(part)) {
    if (part.ignored === true || part.text.trim() === "" || isReminder(part)) return null;
    const text = part.text.slice(0, MAX_RECORD_CHARS);
    // The host adds the content of a prompt's files to the prompt, as synthetic texts.
    if (part.synthetic === true) return { ...base, kind: "output", words: "attachment", text };
    // A database from elsewhere may hold any role: text that isn't the user's must never count as theirs.
    const kind = info.role === "user" ? "user" : "assistant";
    return { ...base, kind, words: kind, text };
  }
  if (!isTool(part) || OWN_TOOLS.has(part.tool)) return null;
  const text = renderCallText(part);
  return text === null
    ? null
    : {
        ...base,
        kind: "output",
        words: renderCall(part, directory),
        text: text.slice(0, MAX_RECORD_CHARS),
      };
}

/** Detects the host's own reminders, which it adds to prompts in memory, under another id at each step. */
function isReminder({ synthetic, text }: TextPart): boolean {
  return synthetic === true && text.startsWith("<system-reminder>");
}

/** Describes a part by flags and lengths, without its texts; a part with the same shape is not read again. */
export function describePartShape(part: HostPart): string {
  if (isText(part))
    return `${part.ignored === true} ${part.synthetic === true} ${part.text.length}`;
  if (!isTool(part)) return part.type;
  const { state } = part;
  switch (state.status) {
    case "completed":
      return `completed ${state.output.length}`;
    case "error":
      return `error ${state.error.length}`;
    case "pending":
    case "running":
      return state.status;
  }
}

/** Renders a call's arguments first, as lines; returns null while the call runs. */
function renderCallText({ state }: ToolPart): string | null {
  switch (state.status) {
    case "completed":
      return [...renderArgumentLines(state.input), state.output].join("\n");
    case "error": {
      const shown = state.metadata?.interrupted === true ? state.metadata.output : undefined;
      return [
        ...renderArgumentLines(state.input),
        typeof shown === "string" ? shown : state.error,
      ].join("\n");
    }
    case "pending":
    case "running":
      return null;
  }
}

function renderArgumentLines(input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
  });
}

export function toMessageTime(info: HostMessage["info"]): MessageTime {
  return { messageId: info.id, madeAtMs: readCreatedAtMs(info) };
}
