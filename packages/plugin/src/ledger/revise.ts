// Changes one message: replaces, omits and restores parts, appends to results, and names what we add.
import { UPDATE_GAP } from "../context/frames.ts";
import type { EditOf, LedgerEdit, ReportDormancy } from "./edit.ts";
import {
  type EndedCall,
  type FailedToolState,
  type HostMessage,
  type HostPart,
  hasEnded,
  hasSentContent,
  isReasoning,
  isSent,
  isText,
  isTool,
  type MessageInfo,
  type ReasoningPart,
  readResultText,
  type TextPart,
  type ToolPart,
} from "./message.ts";
import { isPruned, stripPruneMark } from "./prune.ts";

// Makes the parts and messages that the projection adds, which are named by their edit's rank.

const SYNTHETIC_PART_PREFIX = "prt_sr_";
const SYNTHETIC_MESSAGE_PREFIX = "msg_sr_";

/** Builds an id from the edit's rank alone, so that it is the same at each replay. */
export function buildSyntheticMessageId(seq: number): string {
  return `${SYNTHETIC_MESSAGE_PREFIX}${seq}`;
}

export function isSyntheticMessage({ info }: HostMessage): boolean {
  return info.id.startsWith(SYNTHETIC_MESSAGE_PREFIX);
}

export function buildSyntheticPartId(seq: number): string {
  return `${SYNTHETIC_PART_PREFIX}${seq}`;
}

export function isSyntheticPart(part: HostPart): boolean {
  return part.id.startsWith(SYNTHETIC_PART_PREFIX);
}

/** Makes a text part of the message. `synthetic` makes the host send the part without displaying it. */
export function createSyntheticPart(seq: number, message: MessageInfo, text: string): TextPart {
  return {
    id: buildSyntheticPartId(seq),
    messageID: message.id,
    sessionID: message.sessionID,
    type: "text",
    text,
    synthetic: true,
  };
}

/** A text with the rank of the edit that it comes from. */
export interface RankedText {
  readonly seq: number;
  readonly text: string;
}

/** Makes a user message of these texts, with the agent and model of `author`, the user's message before. */
export function createSyntheticMessage(
  sessionID: string,
  author: MessageInfo | null,
  [first, ...others]: readonly [RankedText, ...RankedText[]],
): HostMessage {
  const info = {
    id: buildSyntheticMessageId(first.seq),
    sessionID,
    role: "user",
    time: { created: 0 },
    agent: author?.agent,
    model: author?.model,
  } as const;
  return {
    info,
    parts: [first, ...others].map(({ seq, text }) => createSyntheticPart(seq, info, text)),
  };
}

/** A change to a part that is in the message. */
export type PartChange = LedgerEdit<EditOf<"replace" | "omit" | "restore">>;

/** Parts in their places, with null for one that is left out. */
export type RevisedParts = readonly (HostPart | null)[];

/**
 * Returns the parts with these changes, all of which concern these parts and are in ledger order: of several
 * changes to one part, the last that fits stands. The `opening` message always keeps something to show.
 */
export function revise(
  parts: readonly HostPart[],
  changes: readonly PartChange[],
  role: "opening" | "later",
  report: ReportDormancy,
): RevisedParts {
  const revised: (HostPart | null)[] = [...parts];
  const standing = new Map<number, number>();
  for (const { seq, edit } of changes) {
    const index = parts.findIndex((part) => part.id === edit.at.partId);
    const part = parts[index];
    const next = part && applyChange(part, edit);
    if (part === undefined) {
      report(seq, "missing");
    } else if (next === undefined) {
      report(seq, "unfit");
    } else if (next === null && role === "opening" && !isShownWithout(revised, index)) {
      report(seq, "opening");
    } else {
      const former = standing.get(index);
      if (former !== undefined) report(former, "superseded");
      standing.set(index, seq);
      revised[index] = next;
    }
  }
  return revised.includes(null) ? dropTrailingReasoning(revised) : revised;
}

/** Returns the changed part; null if it is left out, undefined if it can't have that text. */
function applyChange(part: HostPart, edit: PartChange["edit"]): HostPart | null | undefined {
  switch (edit.verb) {
    case "omit":
      return null;
    case "replace":
      return replaceText(part, edit.text);
    case "restore":
      return part;
  }
}

/** Looks only at parts that are sure to stay: the host's own reminders are synthetic, and gone next turn. */
function isShownWithout(revised: RevisedParts, index: number): boolean {
  return revised.some((part, other) => {
    if (other === index || part === null || !hasSentContent(part)) return false;
    return !isText(part) || part.synthetic !== true;
  });
}

/** Drops reasoning whose conclusion was omitted, since providers refuse a message that ends in reasoning. */
function dropTrailingReasoning(revised: RevisedParts): RevisedParts {
  const last = revised.findLastIndex((part) => part !== null && hasSentContent(part));
  return revised.map((part, index) => (index > last ? null : part));
}

/**
 * Returns the part with another text; undefined if it can't have one. What the provider attached to its own
 * words (a signature, an item id) vouches for the former text and is dropped.
 */
function replaceText(part: HostPart, text: string): HostPart | undefined {
  if (isTool(part)) return replaceResult(part, text);
  if (!isText(part) && !isReasoning(part)) return undefined;
  const { metadata: _vouching, ...bare } = part;
  const next: TextPart | ReasoningPart = { ...bare, text };
  return next;
}

/** Replaces a result; a provider's own tool keeps its result, which is encoded in the provider's way. */
function replaceResult(part: ToolPart, text: string): ToolPart | undefined {
  if (part.metadata?.providerExecuted) return undefined;
  const { added: _added, state, ...call } = part;
  switch (state.status) {
    case "completed": {
      const { attachments: _attachments, ...bare } = stripPruneMark(state);
      return { ...call, state: { ...bare, output: text } };
    }
    case "error":
      return { ...call, state: replaceError(state, text) };
    case "pending":
    case "running":
      return undefined;
  }
}

function replaceError(state: FailedToolState, text: string): FailedToolState {
  const { metadata } = state;
  if (typeof metadata?.output !== "string") return { ...state, error: text };
  return { ...state, error: text, metadata: { ...metadata, output: text } };
}

// Appends inserts to the text of a tool's result.

/**
 * Returns an answer's parts with these texts at the end of its newest result; null if that result can't hold
 * them, or there is none. A separate user message after the results would begin a user turn within the tool
 * loop, which some models' templates reject.
 */
export function addToResult(
  info: MessageInfo,
  revised: RevisedParts,
  texts: readonly string[],
): RevisedParts | null {
  // In an answer, results come after everything else.
  const at = revised.findLastIndex((part) => part !== null && isHostCall(part));
  const part = revised[at];
  if (!part || !hasEnded(part) || isPruned(part) || !isSent({ info, parts: [part] })) return null;
  const added = appendTexts(part, texts);
  return added === part ? revised : revised.with(at, added);
}

/** Matches a call whose result the host encodes; the provider encodes the results of its own tools. */
function isHostCall(part: HostPart): part is ToolPart {
  return isTool(part) && !part.metadata?.providerExecuted;
}

/** Appends texts; a text that an earlier replay has added is not added again. */
function appendTexts(part: EndedCall, texts: readonly string[]): EndedCall {
  const bare = part.added === undefined ? part : replaceEnd(part, "", part.added.length);
  const added = texts.map((text) => UPDATE_GAP + text).join("");
  return part.added === added ? part : { ...replaceEnd(bare, added, 0), added };
}

/** Returns the call with `end` in place of the last `removed` characters of its result. */
function replaceEnd(part: EndedCall, end: string, removed: number): EndedCall {
  const { state } = part;
  const replaceTextEnd = (text: string) => text.slice(0, text.length - removed) + end;
  if (state.status === "completed") {
    return { ...part, state: { ...state, output: replaceTextEnd(state.output) } };
  }
  const { metadata } = state;
  const output = metadata?.output;
  const said =
    typeof output === "string" ? { metadata: { ...metadata, output: replaceTextEnd(output) } } : {};
  return { ...part, state: { ...state, error: replaceTextEnd(state.error), ...said } };
}

/** Returns true if a part is sent as the host has it, with or without a text of ours after it. */
export function isSentUnchanged(sent: HostPart, own: HostPart): boolean {
  if (sent === own) return true;
  if (!hasEnded(sent) || !hasEnded(own) || sent.added === undefined) return false;
  return (
    readResultText(sent) === readResultText(own) && listAttachments(sent) === listAttachments(own)
  );
}

function listAttachments({ state }: EndedCall): unknown {
  return state.status === "completed" ? state.attachments : undefined;
}

// Finds the parts that were sent to the model as the host has them.

/** A history as the host has it, and as it was sent. */
export interface SentHistory {
  readonly host: readonly HostMessage[];
  /** The messages as sent. A part sent as the host has it is the same object, or has a text of ours after it. */
  readonly sent: readonly HostMessage[];
}

export function collectShownPartIds(history: SentHistory | undefined): ReadonlySet<string> {
  if (!history) return new Set();
  const own = new Map(history.host.flatMap(({ parts }) => parts.map((part) => [part.id, part])));
  const shown = history.sent.flatMap(({ parts }) =>
    parts.filter((part) => {
      const held = own.get(part.id);
      return held !== undefined && isSentUnchanged(part, held) && !isPruned(part);
    }),
  );
  return new Set(shown.map(({ id }) => id));
}
