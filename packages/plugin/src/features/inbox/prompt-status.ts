// Determines from the history which prompts are answered, and how the newest turn ended.
import type {
  HistoryInfo,
  HistoryMessage,
  HistoryPart,
  StoredPrompt,
} from "../../feature-api/prompt.ts";
import type { InputRecord } from "./records.ts";

/** The progress of a prompt, as far as the host's history shows it. */
export type PromptStatus =
  /** The host has saved nothing or only a part of the prompt. */
  | "unsaved"
  /**
   * A part of the prompt was saved, and a later call went without it: the host never runs it under this id.
   */
  | "torn"
  | "unanswered"
  | "answered"
  /** A repeated compaction took the prompt for its own, so the host believes that the prompt is answered. */
  | "swallowed"
  /** The prompt's message was taken back. */
  | "undone";

/** How the newest turn ended. */
export type TurnEnd = "clean" | "interrupted" | "failed" | "unfinished";

export interface HistoryReading {
  readonly present: ReadonlyMap<string, HistoryMessage>;
  readonly answered: ReadonlySet<string>;
  readonly swallowed: ReadonlySet<string>;
  /** Ids of messages that an assistant's message follows. */
  readonly passed: ReadonlySet<string>;
  readonly end: TurnEnd;
  /** Tools whose calls in the newest turn have no result, by name, each one once. */
  readonly openTools: readonly string[];
}

type UserMessageKind =
  | "prompt"
  /** The host's own message, which continues the work after a compaction. */
  | "continuation"
  | "compaction";

/**
 * Finds the answered prompts: a finished assistant message that is not a summary answers its parent and every
 * prompt before it, since all of them were sent together. The answer to a copy that the host made on
 * overflow, or to the host's continuation after a compaction, counts in the same way.
 */
export function readHistory(messages: readonly HistoryMessage[]): HistoryReading {
  const present = new Map<string, HistoryMessage>();
  const answered = new Set<string>();
  const swallowed = new Set<string>();
  let open: { readonly id: string; readonly kind: UserMessageKind }[] = [];
  for (const message of messages) {
    const { info } = message;
    present.set(info.id, message);
    if (info.role === "user") {
      open.push({ id: info.id, kind: classifyMessage(message) });
      continue;
    }
    const parentIndex = open.findIndex(({ id }) => id === info.parentID);
    const parentKind = open[parentIndex]?.kind;
    if (parentKind === undefined) continue;
    if (info.summary) {
      if (parentKind === "prompt" && isFinished(info)) swallowed.add(String(info.parentID));
    } else if (isFinished(info) && !message.parts.some(isOpen)) {
      const before = open.slice(0, parentIndex + 1);
      const left = before.filter(({ id }) => parentKind === "continuation" && swallowed.has(id));
      for (const { id } of before) if (!left.some((kept) => kept.id === id)) answered.add(id);
      open = [...left, ...open.slice(parentIndex + 1)];
    }
  }
  const newest = messages.findLastIndex(({ info }) => info.role === "assistant");
  const passed = new Set(messages.slice(0, Math.max(0, newest)).map(({ info }) => info.id));
  return { present, answered, swallowed, passed, ...readNewestTurn(messages) };
}

function classifyMessage({ parts }: HistoryMessage): UserMessageKind {
  if (parts.some(({ type }) => type === "compaction")) return "compaction";
  const made = parts.length > 0 && parts.every(({ synthetic }) => synthetic === true);
  return made ? "continuation" : "prompt";
}

/** Finishes after which the host's loop continues. */
const ONGOING_FINISHES: ReadonlySet<string> = new Set(["tool-calls", "unknown"]);

function isFinished({ finish, error, structured }: HistoryInfo): boolean {
  if (error) return false;
  return structured !== undefined || (finish !== undefined && !ONGOING_FINISHES.has(finish));
}

function isOpen({ state }: HistoryPart): boolean {
  return state?.status === "pending" || state?.status === "running";
}

function readNewestTurn(
  messages: readonly HistoryMessage[],
): Pick<HistoryReading, "end" | "openTools"> {
  const newest = messages.findLast(({ info }) => info.role === "assistant");
  if (!newest) return { end: "clean", openTools: [] };
  const open = newest.parts.filter(isOpen).flatMap(({ tool }) => tool ?? []);
  return { end: classifyTurnEnd(newest), openTools: [...new Set(open)] };
}

function classifyTurnEnd(newest: HistoryMessage): TurnEnd {
  const { error } = newest.info;
  if (error) return readErrorName(error) === "MessageAbortedError" ? "interrupted" : "failed";
  return isFinished(newest.info) && !newest.parts.some(isOpen) ? "clean" : "unfinished";
}

function readErrorName(error: unknown): string {
  return typeof error === "object" && error !== null && "name" in error ? String(error.name) : "";
}

/**
 * Returns true if a message holds all of a prompt. The host saves a prompt's row first and then its parts, so
 * a host that is killed in between leaves a message with only some of them, or with none. Only this test
 * decides what may be promoted and what is answered.
 */
export function isPromptComplete(parts: readonly HistoryPart[], prompt: StoredPrompt): boolean {
  switch (prompt.form) {
    case "resolved":
      return containsAllParts(
        parts,
        prompt.parts.map(({ id }) => String(id)),
      );
    // The host has chosen the ids, which are unknown here because the host's own copy could not be stored.
    case "given":
      return parts.length >= prompt.parts.length;
  }
}

export function containsAllParts(
  parts: readonly HistoryPart[],
  partIds: readonly string[],
): boolean {
  const saved = new Set(parts.map(({ id }) => id));
  return partIds.every((id) => saved.has(id));
}

/**
 * Returns a prompt's status. `prompt` is the stored prompt of an input that has not been seen whole yet; null
 * if there is nothing to check.
 */
export function resolvePromptStatus(
  input: InputRecord,
  prompt: StoredPrompt | null,
  reading: HistoryReading,
): PromptStatus {
  const { messageId } = input;
  const message = messageId === null ? undefined : reading.present.get(messageId);
  if (messageId === null || message === undefined) {
    return input.state === "saved" || input.state === "promoted" ? "undone" : "unsaved";
  }
  if (prompt !== null && !isPromptComplete(message.parts, prompt)) {
    return reading.passed.has(messageId) ? "torn" : "unsaved";
  }
  if (reading.answered.has(messageId)) return "answered";
  if (reading.swallowed.has(messageId)) return "swallowed";
  return "unanswered";
}

/** Returns true until all of a prompt's message has been seen. */
export function isUnseen({ state }: InputRecord): boolean {
  return state === "handed" || state === "refused";
}

/** Returns the state in which a status settles an input; null if the input is still open. */
export function toSettledState(standing: PromptStatus): "answered" | "undone" | null {
  return standing === "answered" || standing === "undone" ? standing : null;
}
