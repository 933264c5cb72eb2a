// Records: what recall finds of a message, one per part, each as one text.

import { callWords } from "../../ledger/call-words.ts";
import {
  createdAtMs,
  type HostMessage,
  type HostPart,
  isText,
  isTool,
  type TextPart,
  type ToolPart,
} from "../../ledger/message.ts";
import type { DocumentRecord, Moment } from "../../search-index/document.ts";

interface PartRecord extends DocumentRecord {
  readonly text: string;
}

/** Their answers quote other records, which are found themselves. */
const OWN_TOOLS: ReadonlySet<string> = new Set(["ctx_search", "ctx_expand", "ctx_reduce"]);

/** Of one part, in UTF-16 units: what is beyond is not found. */
const MAX_CHARS = 20_000_000;

/** Null for what the model never sees, and for what isn't settled yet. */
export function toPartRecord(
  { info }: HostMessage,
  part: HostPart,
  directory: string,
): PartRecord | null {
  const base = { key: part.id, ...toMoment(info) };
  if (isText(part)) {
    if (part.ignored === true || part.text.trim() === "" || isReminder(part)) return null;
    const text = part.text.slice(0, MAX_CHARS);
    // The host pushes what a prompt's files hold into the prompt, as synthetic texts.
    if (part.synthetic === true) return { ...base, kind: "output", words: "attachment", text };
    // A database read from outside may hold any role: what isn't the user's is never taken for it.
    const kind = info.role === "user" ? "user" : "assistant";
    return { ...base, kind, words: kind, text };
  }
  if (!isTool(part) || OWN_TOOLS.has(part.tool)) return null;
  const text = textOfCall(part);
  return text === null
    ? null
    : {
        ...base,
        kind: "output",
        words: callWords(part, directory),
        text: text.slice(0, MAX_CHARS),
      };
}

/** The host's own, which it pushes into prompts in memory, under another id at each step. */
function isReminder({ synthetic, text }: TextPart): boolean {
  return synthetic === true && text.startsWith("<system-reminder>");
}

/** A part that looks as it did is not read again: flags and lengths, without its texts. */
export function partShape(part: HostPart): string {
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

/** Arguments first, as lines; null while the call runs. */
function textOfCall({ state }: ToolPart): string | null {
  switch (state.status) {
    case "completed":
      return [...argumentLines(state.input), state.output].join("\n");
    case "error": {
      const shown = state.metadata?.interrupted === true ? state.metadata.output : undefined;
      return [...argumentLines(state.input), typeof shown === "string" ? shown : state.error].join(
        "\n",
      );
    }
    case "pending":
    case "running":
      return null;
  }
}

function argumentLines(input: unknown): readonly string[] {
  if (typeof input !== "object" || input === null) return [];
  return Object.entries(input).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.includes("\n") ? `${name}:\n${text}` : `${name}: ${text}`;
  });
}

export function toMoment(info: HostMessage["info"]): Moment {
  return { messageId: info.id, madeAtMs: createdAtMs(info) };
}
