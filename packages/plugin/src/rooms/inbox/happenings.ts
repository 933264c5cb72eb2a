// What can happen to the inbox, and what it can do about it: two closed unions of values.

import type { ArrivingPrompt, StoredPrompt } from "../../features/prompt.ts";
import type { SavedMessage } from "../../features/prompt-host.ts";
import type { SessionId } from "../../storage/records.ts";
import type { PromptRefused } from "./arrival.ts";
import type { Cause, Drive, StandingInput } from "./plan.ts";
import type { Admission, InputRecord, SettledState } from "./records.ts";
import type { HistoryReading } from "./standing.ts";
import type { Sending, State } from "./state.ts";

/** Agent, model and variant of a session's newest prompt. */
export type Settings = Pick<StoredPrompt, "agent" | "model" | "variant">;

interface Found {
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
}

/** What a look finds, before anything is made of it. `elsewhere`: another process drives the session. */
export type Facts =
  | { readonly kind: "nothing" | "busy" | "elsewhere" }
  | ({ readonly kind: "found" } & Found);

type UnionOf<Kinds> = {
  [Kind in keyof Kinds]: { readonly kind: Kind } & Readonly<Kinds[Kind]>;
}[keyof Kinds];

type OfSession = { readonly sessionId: SessionId };
type OfMessage = OfSession & { readonly messageId: string };
type Arriving = { readonly prompt: ArrivingPrompt; readonly record: InputRecord };

interface Happenings {
  // chat.message. `known`: the row under its message id.
  arrives: { prompt: ArrivingPrompt; known: InputRecord | null };
  admission: Arriving & { outcome: Admission["kind"] };
  /** The host was asked what it has of a retried prompt; `current`: its row after that. */
  "retry read": Arriving & { current: InputRecord; saved: SavedMessage | null };
  "sources missing": Arriving & { keys: readonly string[] };
  // The host's hooks and events. `whole`: messages of a history that are whole and unpromoted.
  boundary: OfSession & { whole: readonly string[]; afterSendMs: number };
  saved: OfMessage;
  removed: { input: InputRecord; messageId: string };
  status: OfSession & { status: "busy" | "idle" };
  deleted: OfSession;
  // Commands and code.
  "by code": { admission: Admission; reply: StoredPrompt["reply"] };
  asked: OfSession & { cause: Cause; ticket: number };
  interrupted: OfSession & { ticket: number };
  /** An earlier process has left something open; `text` says what. */
  "left open": OfSession & { text: string };
  closed: object;
  // A look, from its wake to its end, and what comes of its effects.
  woken: OfSession;
  looked: OfSession & { facts: Facts };
  "look ended": OfSession & { end: "done" | "failed" };
  sending: OfMessage & { how: Sending };
  "not sent": { messageId: string };
  // Timers, and what is read after them. `beginnings`: as they were when the wait began.
  "call sent": OfSession & { messageIds: readonly string[]; foundAtMs: number };
  promoted: OfSession & { messageIds: readonly string[] };
  "waited for its turn": OfMessage & { beginnings: number; dueMs: number; looksLeft: number };
  "still idle": { input: InputRecord | null };
  "renewal due": object;
  // Rows that were read, or taken.
  "rows read": OfSession & { unpromoted: readonly string[] };
  leased: OfSession & { answer: "mine" | "held" };
}

export type Happening = UnionOf<Happenings>;
export type HappeningOf<Kind extends Happening["kind"]> = Extract<Happening, { kind: Kind }>;

/** A happening at its time, in milliseconds since 1970. */
export type InboxEvent = Happening & { readonly atMs: number };

interface RowEffects {
  admit: { prompt: ArrivingPrompt };
  /** Taken back by the user and said again: a new prompt under its id. */
  "admit again": Arriving;
  /** A retry: the row gives what the host lacks. */
  complete: Arriving & { saved: SavedMessage | null };
  settle: { id: string; state: SettledState };
  save: { ids: readonly string[] };
  promote: OfSession & { messageIds: readonly string[]; foundAtMs: number };
  "turn back": { id: string };
  replace: { id: string; messageId: string };
  /** Another plugin may have taken parts out of a prompt after us: it is whole without them. */
  "follow parts": { messageId: string };
  "read rows": OfSession;
  acquire: OfSession;
  release: OfSession;
}

interface HostEffects {
  /** Hands the next one of the queue to the host, unless it was changed meanwhile. */
  hand: { input: InputRecord; messageId: string; newest: Settings };
  /** `batch`: without a call of its own, before one that has it; `alone`: by what it asks for. */
  send: { input: InputRecord; as: "batch" | "alone" | "again" };
  "read retry": Arriving;
  "check sources": Arriving;
  /** One that we sent: its row takes what the host has resolved, or gives what it has stored. */
  "bring in": Arriving;
  "check idle": OfMessage;
}

/** For callers, the user and the clock. */
interface OwnEffects {
  look: OfSession & { cause: Cause };
  refuse: { reason: PromptRefused["reason"]; text: string };
  answer: { tickets: readonly number[]; drive: Drive };
  show: OfSession & { text: string };
  later: { happening: Happening; delayMs: number };
}

export type RowEffect = UnionOf<RowEffects>;
export type HostEffect = UnionOf<HostEffects>;

/** Effects are run in order. One that fails drops those after it, and its caller hears of it. */
export type Effect = RowEffect | HostEffect | UnionOf<OwnEffects>;
export type EffectOf<Kind extends Effect["kind"]> = Extract<Effect, { kind: Kind }>;

export interface Next {
  readonly state: State;
  readonly effects: readonly Effect[];
}
