// The host's rows and calls that the inbox uses.

import type { SessionId } from "../storage/records.ts";
import type { StoredPrompt } from "./prompt.ts";

/** The host would not answer; the message is in our own words, as the host's may quote a prompt. */
export class HostRefusalError extends Error {
  override readonly name = "HostRefusalError";
}

/** The fields of the host's rows that the inbox reads (OpenCode 1.18.33). */
export interface HistoryInfo {
  readonly id: string;
  readonly role: "user" | "assistant";
  /** The rest stands on one role or the other. */
  readonly parentID?: string | undefined;
  readonly finish?: string | undefined;
  readonly error?: unknown;
  readonly summary?: unknown;
  readonly structured?: unknown;
  readonly agent?: string | undefined;
  readonly model?:
    | { readonly providerID: string; readonly modelID: string; readonly variant?: string }
    | undefined;
}

export interface HistoryPart {
  readonly id?: string | undefined;
  readonly type: string;
  readonly synthetic?: boolean | undefined;
  readonly ignored?: boolean | undefined;
  readonly tool?: string | undefined;
  readonly state?: { readonly status: string } | undefined;
  readonly metadata?: unknown;
}

/** A message, as far as a boundary reads it. */
export interface HostRow {
  readonly info: { readonly id: string };
  readonly parts: readonly HistoryPart[];
}

export interface HistoryMessage extends HostRow {
  readonly info: HistoryInfo;
}

/** A prompt on its way to the host, under an id that was stored before. */
export interface Dispatch {
  readonly sessionId: SessionId;
  readonly messageId: string;
  /** The prompt's text and settings; without parts where chat.message puts the stored ones in. */
  readonly prompt: StoredPrompt;
  /** `none`: it is saved and calls no model by itself. */
  readonly reply: "wanted" | "none";
}

interface HostSession {
  readonly title: string;
  /** `undone`: an undo can still be taken back; any prompt would make it final. */
  readonly revert: "none" | "undone";
}

/** The requests that the inbox sends to the host. Each may reject. */
export interface InboxHost {
  activity(sessionId: SessionId): Promise<"busy" | "idle">;
  /** Resolves to null when there is no such session. */
  session(sessionId: SessionId): Promise<HostSession | null>;
  /** The newest messages, oldest first; all of them where there are no more than `count`. */
  history(sessionId: SessionId, count: number): Promise<readonly HistoryMessage[]>;
  /** Reads one message as it is saved; null where there is none. */
  message(sessionId: SessionId, messageId: string): Promise<SavedMessage | null>;
  /** Resolves when the host has taken the prompt in; one without a reply, when it is saved. */
  send(dispatch: Dispatch): Promise<void>;
  abort(sessionId: SessionId): Promise<void>;
}

export interface SavedMessage {
  readonly info: Readonly<Record<string, unknown>>;
  readonly partIds: readonly string[];
}
