// Computes digests of messages by shape and content, and caches what was made of each from call to call.
import { hashText } from "../context/canonical.ts";
import {
  type HostMessage,
  type HostPart,
  isFile,
  isReasoning,
  isText,
  isTool,
  type ToolPart,
} from "./message.ts";

/**
 * Lists a message's ids, kinds, lengths and flags, without its texts. A synthetic text counts by its length and
 * not by its id, because the host gives its in-memory reminders another id at each step.
 */
function describeMessageShape({ info, parts }: HostMessage): string {
  return parts.reduce(
    (text, part) => `${text}${describePartShape(part)}\n`,
    `${info.role} ${info.id}\n`,
  );
}

function describePartShape(part: HostPart): string {
  if (isText(part)) {
    const flag = part.ignored === true ? "ignored" : "text";
    return part.synthetic === true
      ? `${flag} ${part.text.length}`
      : `${flag} ${part.id} ${part.text.length}`;
  }
  if (isReasoning(part)) return `reasoning ${part.id} ${part.text.length}`;
  return isTool(part) ? describeToolShape(part) : `${part.type} ${part.id}`;
}

function describeToolShape({ id, state }: ToolPart): string {
  switch (state.status) {
    case "completed": {
      const status = state.time.compacted === undefined ? "completed" : "compacted";
      return `${status} ${id} ${state.output.length} ${state.attachments?.length ?? 0}`;
    }
    case "error":
      return `error ${id} ${state.error.length}`;
    case "pending":
    case "running":
      return `${state.status} ${id}`;
  }
}

/** The remembered digest of one message, which is valid as long as the message's shape is the same. */
export interface KnownContent {
  readonly shape: string;
  readonly digest: string;
}

/**
 * Digests all that the host sends of the messages up to and including `upToIndex`, as 16 hex digits: the texts
 * themselves, and no ids. Reads the texts only of messages that `known` doesn't hold in their present shape.
 */
export function digestContent(
  messages: readonly HostMessage[],
  upToIndex: number,
  known: Map<string, KnownContent>,
): string {
  const digests = messages.slice(0, upToIndex + 1).map((message) => {
    const shape = describeMessageShape(message);
    const remembered = known.get(message.info.id);
    if (remembered?.shape === shape) return remembered.digest;
    const digest = digestMessage(message);
    known.set(message.info.id, { shape, digest });
    return digest;
  });
  return hashText(digests.join(""));
}

function digestMessage({ info, parts }: HostMessage): string {
  return hashText(JSON.stringify([info.role, parts.map(toSentFields)]));
}

function toSentFields(part: HostPart): readonly unknown[] {
  if (isText(part)) return ["text", part.ignored === true, part.text, part.metadata];
  if (isReasoning(part)) return ["reasoning", part.text, part.metadata];
  if (isFile(part)) return ["file", part.mime, part.url, part.filename];
  return isTool(part) ? ["tool", part.tool, part.callID, ...toResultFields(part)] : [part.type];
}

function toResultFields({ state }: ToolPart): readonly unknown[] {
  switch (state.status) {
    case "completed": {
      const { input, output, attachments, time } = state;
      return [state.status, input, output, attachments, time.compacted !== undefined];
    }
    case "error":
      return [state.status, state.input, state.error, state.metadata?.output];
    case "pending":
    case "running":
      return [state.status, state.input];
  }
}

// Caches between calls what was made of a message, as the host passes each history as new objects.

/**
 * Wraps `make` in a cache that holds as long as the message says the same. The cache is keyed by message,
 * since a part's id is found in a fraction of the time if its place is known.
 */
export function cacheByMessage<Made>(
  make: (message: HostMessage) => Made,
): (message: HostMessage) => Made {
  const remembered = new Map<string, CachedForm<Made>>();
  return (message) => {
    const known = remembered.get(message.info.id);
    if (known && isSame(known, message)) return known.made;
    if (known?.former && isSame(known.former, message)) return known.former.made;
    const made = make(message);
    const stamps = message.parts.map(stampPart);
    if (stamps.includes(null)) return made;
    if (remembered.size >= MAX_CACHED) remembered.clear();
    const ids = message.parts.map(({ id }) => id);
    remembered.set(message.info.id, { ids, stamps, made, former: known ?? null });
    if (known) known.former = null;
    return made;
  };
}

/** One remembered form of a message. The last two are kept: the host's form and the form that is sent. */
interface CachedForm<Made> {
  readonly ids: readonly string[];
  readonly stamps: readonly (number | null)[];
  readonly made: Made;
  former: CachedForm<Made> | null;
}

const MAX_CACHED = 20_000;

/** Uses a loop and no closure, since it runs for each message in each call. */
function isSame({ ids, stamps }: CachedForm<unknown>, { parts }: HostMessage): boolean {
  if (parts.length !== ids.length) return false;
  for (let index = 0; index < ids.length; index++) {
    const part = parts[index];
    if (!part || part.id !== ids[index] || stampPart(part) !== stamps[index]) return false;
  }
  return true;
}

/** Matches the host's notes on steps and patches, which are half of all parts and are never sent. */
function isNeverSent({ type }: HostPart): boolean {
  return type === "step-start" || type === "step-finish" || type === "patch";
}

/** Returns a number that changes with the part's text; null if the text may still change unnoticed. */
function stampPart(part: HostPart): number | null {
  if (isText(part)) return part.text.length * PART_KIND_COUNT + (part.ignored === true ? 1 : 0);
  if (isReasoning(part)) return part.text.length * PART_KIND_COUNT + 5;
  if (!isTool(part)) return isNeverSent(part) ? 6 : null;
  const { state } = part;
  switch (state.status) {
    case "completed":
      return state.output.length * PART_KIND_COUNT + (state.time.compacted === undefined ? 2 : 3);
    case "error":
      return state.error.length * PART_KIND_COUNT + 4;
    case "pending":
    case "running":
      return null;
  }
}

const PART_KIND_COUNT = 8;
