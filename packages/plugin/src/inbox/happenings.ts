// What can happen to the inbox, and what it can do about it: two closed unions of values.
import type {
  Admission,
  InputRecord,
  SettledState,
  StoredPrompt,
} from "../storage/inbox-records.ts";
import type { SessionId } from "../storage/records.ts";
import type { ArrivingPrompt, PromptRefused } from "./arrival.ts";
import type { SavedMessage } from "./host.ts";
import type { Cause, Drive, StandingInput } from "./plan.ts";
import type { HistoryReading } from "./standing.ts";
import type { Sending, State } from "./state.ts";

/** Agent, model and variant of a session's newest prompt. */
export type Settings = Pick<StoredPrompt, "agent" | "model" | "variant">;

/** What a look finds, before anything is made of it. */
export type Facts =
  | { readonly kind: "nothing" }
  | { readonly kind: "busy" }
  /** Another process drives the session. */
  | { readonly kind: "elsewhere" }
  | {
      readonly kind: "found";
      readonly revert: "none" | "undone";
      readonly turn: Pick<HistoryReading, "end" | "openTools">;
      readonly working: readonly StandingInput[];
      /** The next one of the queue. */
      readonly head: InputRecord | null;
      readonly waiting: number;
      /** Whether a prompt was admitted while the host was asked. */
      readonly since: "nothing" | "a prompt";
      readonly newest: Settings;
      /** Unused message ids: one for each of `working`, and one more. */
      readonly freshIds: readonly string[];
    };

/** What is done with an arriving prompt once its sources can load. */
export type WhenLoaded =
  /** It is saved as it came. */
  | { readonly kind: "let go" }
  /** One that we sent: its row takes what the host has resolved, or gives what it has stored. */
  | { readonly kind: "bring in" }
  /** A retry: only what the host lacks is saved. */
  | { readonly kind: "complete"; readonly saved: SavedMessage | null };

interface OfSession {
  readonly sessionId: SessionId;
}
interface OfMessage extends OfSession {
  readonly messageId: string;
}
interface Arriving {
  readonly prompt: ArrivingPrompt;
  readonly record: InputRecord;
}

export type Happening =
  // chat.message.
  /** `known`: the row under its message id. */
  | {
      readonly kind: "arrives";
      readonly prompt: ArrivingPrompt;
      readonly known: InputRecord | null;
    }
  | ({ readonly kind: "admission"; readonly outcome: Admission["kind"] } & Arriving)
  /** The host was asked what it has of a retried prompt; `current`: its row after that. */
  | ({
      readonly kind: "retry read";
      readonly current: InputRecord;
      readonly saved: SavedMessage | null;
    } & Arriving)
  | ({
      readonly kind: "sources checked";
      readonly missing: readonly string[];
      readonly whenLoaded: WhenLoaded;
    } & Arriving)
  // The host's hooks and events.
  | ({
      readonly kind: "boundary";
      /** Messages of the history that are whole and unpromoted. */
      readonly whole: readonly string[];
      readonly afterSendMs: number;
    } & OfSession)
  | ({ readonly kind: "saved" } & OfMessage)
  | { readonly kind: "removed"; readonly input: InputRecord; readonly messageId: string }
  | ({ readonly kind: "status"; readonly status: "busy" | "idle" } & OfSession)
  | ({ readonly kind: "deleted" } & OfSession)
  // Commands and code.
  | {
      readonly kind: "by code";
      readonly admission: Admission;
      readonly reply: StoredPrompt["reply"];
    }
  | ({ readonly kind: "asked"; readonly cause: Cause; readonly ticket: number } & OfSession)
  | ({ readonly kind: "interrupted"; readonly ticket: number } & OfSession)
  | { readonly kind: "closed" }
  // A look, from its wake to its end, and what comes of its effects.
  | ({ readonly kind: "woken" } & OfSession)
  | ({ readonly kind: "looked"; readonly facts: Facts } & OfSession)
  | ({ readonly kind: "look ended"; readonly end: "done" | "failed" } & OfSession)
  | { readonly kind: "handed"; readonly input: InputRecord }
  | { readonly kind: "replaced"; readonly inputs: readonly InputRecord[] }
  | ({ readonly kind: "sending"; readonly how: Sending } & OfMessage)
  | ({ readonly kind: "sent" } & OfSession)
  | { readonly kind: "not sent"; readonly messageId: string }
  // Timers, and what is read after them.
  | ({
      readonly kind: "call sent";
      readonly messageIds: readonly string[];
      readonly foundAtMs: number;
    } & OfSession)
  | ({ readonly kind: "promoted"; readonly messageIds: readonly string[] } & OfSession)
  | ({
      readonly kind: "waited for its turn";
      /** As they were when the wait began. */
      readonly beginnings: number;
      readonly dueMs: number;
      readonly looksLeft: number;
    } & OfMessage)
  | { readonly kind: "still idle"; readonly input: InputRecord | null }
  | { readonly kind: "renewal due" }
  // Rows that were read, or taken.
  | ({ readonly kind: "rows read"; readonly unpromoted: readonly string[] } & OfSession)
  | ({ readonly kind: "leased"; readonly answer: "mine" | "held" } & OfSession);

/** A happening at its time, in milliseconds since 1970. */
export type InboxEvent = Happening & { readonly atMs: number };

export type RowEffect =
  | { readonly kind: "admit"; readonly prompt: ArrivingPrompt }
  /** Taken back by the user and said again: a new prompt under its id. */
  | ({ readonly kind: "admit again" } & Arriving)
  /** A retry: the row gives what the host lacks. */
  | ({ readonly kind: "complete"; readonly saved: SavedMessage | null } & Arriving)
  | { readonly kind: "settle"; readonly id: string; readonly state: SettledState }
  | { readonly kind: "save"; readonly ids: readonly string[] }
  | ({
      readonly kind: "promote";
      readonly messageIds: readonly string[];
      readonly foundAtMs: number;
    } & OfSession)
  | { readonly kind: "turn back"; readonly id: string }
  /** Id and settings are stored before the host hears of it: after a crash it is the same prompt. */
  | {
      readonly kind: "hand";
      readonly input: InputRecord;
      readonly messageId: string;
      readonly newest: Settings;
    }
  | {
      readonly kind: "replace";
      readonly pairs: readonly { readonly id: string; readonly messageId: string }[];
    }
  /** Another plugin may have taken parts out of a prompt after us: it is whole without them. */
  | { readonly kind: "follow parts"; readonly messageId: string }
  | ({ readonly kind: "read rows" } & OfSession)
  | ({ readonly kind: "acquire" } & OfSession)
  | ({ readonly kind: "release" } & OfSession);

export type HostEffect =
  | {
      readonly kind: "send";
      readonly input: InputRecord;
      /** `batch`: without a call of its own, before one that has it; `alone`: by what it asks for. */
      readonly as: "head" | "batch" | "alone" | "again";
    }
  | ({ readonly kind: "read retry" } & Arriving)
  | ({ readonly kind: "check sources"; readonly whenLoaded: WhenLoaded } & Arriving)
  | ({ readonly kind: "bring in" } & Arriving)
  | ({ readonly kind: "check idle" } & OfMessage);

/** For callers, the user and the clock. */
export type OwnEffect =
  | ({ readonly kind: "look"; readonly cause: Cause } & OfSession)
  | { readonly kind: "refuse"; readonly reason: PromptRefused["reason"]; readonly text: string }
  | { readonly kind: "answer"; readonly tickets: readonly number[]; readonly drive: Drive }
  | ({ readonly kind: "show"; readonly text: string } & OfSession)
  | { readonly kind: "later"; readonly happening: Happening; readonly delayMs: number };

/** Effects are run in order. One that fails drops those after it, and its caller hears of it. */
export type Effect = RowEffect | HostEffect | OwnEffect;

export interface Next {
  readonly state: State;
  readonly effects: readonly Effect[];
}
