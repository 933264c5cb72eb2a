// A stored prompt and its states, the lease, and their stores' interfaces.
import * as z from "zod";
import type { SessionId } from "../storage/records.ts";

/** How an input joins: `steer` the running work at its next boundary, `queue` when that has settled. */
export type Delivery = "steer" | "queue";

/**
 * `waiting`: held here. `handed`: on its way to the host. `refused`: turned back, to be tried again.
 * `saved`: stands in the host's history, no model call has had it. `promoted`: a boundary's history
 * held it. `recorded`: it asked for no reply. The rest are over: `answered`, `dropped` by the user,
 * `undone` (taken back, with its message), `swallowed` (admitted anew as another input).
 */
export const inputStates = [
  "waiting",
  "handed",
  "refused",
  "saved",
  "promoted",
  "recorded",
  "answered",
  "dropped",
  "undone",
  "swallowed",
] as const;
export type InputState = (typeof inputStates)[number];

/** States in which nothing can happen to an input any more. */
export type SettledState = "recorded" | "answered" | "dropped" | "undone" | "swallowed";

/** A prompt, as it is given to the host anew. */
export interface StoredPrompt {
  /** `given`: as it was admitted. `resolved`: as the host saves it, part ids included. */
  readonly form: "given" | "resolved";
  /** `none`: it is recorded, and calls no model. */
  readonly reply: "wanted" | "none";
  readonly parts: readonly Readonly<Record<string, unknown>>[];
  /** The host's own fields; null where the host shall choose. */
  readonly agent: string | null;
  readonly model: { readonly providerID: string; readonly modelID: string } | null;
  readonly variant: string | null;
  readonly system: string | null;
  readonly format: unknown;
}

export const storedPrompt: z.ZodType<StoredPrompt> = z.object({
  form: z.enum(["given", "resolved"]),
  // What was stored under schema 2 does not say.
  reply: z.enum(["wanted", "none"]).default("wanted"),
  parts: z.array(z.record(z.string(), z.unknown())),
  agent: z.string().nullable(),
  model: z.object({ providerID: z.string(), modelID: z.string() }).nullable(),
  variant: z.string().nullable(),
  system: z.string().nullable(),
  format: z.unknown(),
});

/** An admitted input, without its prompt. */
export interface InputRecord {
  readonly sessionId: SessionId;
  readonly id: string;
  readonly rank: number;
  readonly delivery: Delivery;
  readonly state: InputState;
  /** The message that it is, or becomes; null while none is chosen. */
  readonly messageId: string | null;
  /** Equal for equal prompts. */
  readonly digest: string;
  /** The beginning of its text. */
  readonly preview: string;
  readonly admittedAtMs: number;
  readonly promotedAtMs: number | null;
}

export interface NewInput {
  readonly sessionId: SessionId;
  readonly id: string;
  readonly directory: string;
  readonly delivery: Delivery;
  readonly state: "waiting" | "handed";
  readonly messageId: string | null;
  readonly digest: string;
  readonly preview: string;
  readonly prompt: StoredPrompt;
  readonly admittedAtMs: number;
}

export type Admission =
  | { readonly kind: "admitted"; readonly record: InputRecord }
  /** The same session, prompt and delivery under this id: the first admission stands. */
  | { readonly kind: "retry"; readonly record: InputRecord }
  /** Another session, prompt or delivery under this id; nothing was stored. */
  | { readonly kind: "conflict"; readonly record: InputRecord };

/** Open inputs of one session, counted. */
interface OpenSession {
  readonly sessionId: SessionId;
  readonly waiting: number;
  /** Handed to the host and not known to be answered. */
  readonly working: number;
}

/** What stands in for an input that the host takes for answered. */
export interface Replacement {
  readonly messageId: string;
  readonly prompt: StoredPrompt;
  readonly admittedAtMs: number;
}

export interface InboxStore {
  admit(input: NewInput): Admission;
  /** By admission or message id. */
  find(id: string): InputRecord | null;
  /** Null once it is gone. */
  prompt(id: string): StoredPrompt | null;
  /** Inputs that the host has, or was handed, and that are not settled; by rank. */
  working(sessionId: SessionId): readonly InputRecord[];
  /** What waits in the queue, from `from` (0 is next) on. */
  waiting(sessionId: SessionId, from: number, count: number): readonly InputRecord[];
  countWaiting(sessionId: SessionId): number;
  /** Takes a waiting or refused input out of the queue, under the message id that it gets. */
  hand(id: string, messageId: string, prompt: StoredPrompt): "handed" | "gone";
  /** The prompt as the host is about to save it. */
  resolve(id: string, prompt: StoredPrompt): void;
  /** Not taken by the host now: a queued one goes back to its place, a steer is `refused`. */
  turnBack(id: string): void;
  /** Marks those whose message stands in a boundary's history; gives the ids that were not marked yet. */
  promote(messageIds: readonly string[], atMs: number): readonly string[];
  /** Marks those whose message stands in the host's history. */
  save(ids: readonly string[]): void;
  settle(id: string, state: SettledState, atMs: number): void;
  /** The input is over, and its prompt is admitted under a new id in the same transaction. */
  replace(id: string, next: Replacement): void;
  /** An input whose message was taken back makes room for a new one under its id. */
  forget(id: string): void;
  edit(id: string, digest: string, preview: string, prompt: StoredPrompt): "edited" | "gone";
  /** Moves the waiting input at place `from` to place `to`, both counted from 0. */
  move(sessionId: SessionId, from: number, to: number): "moved" | "gone";
  /** Sessions of this directory with anything open, newest admission first. */
  openSessions(directory: string, count: number): readonly OpenSession[];
}

export type LeaseAnswer =
  | { readonly kind: "mine" }
  | { readonly kind: "held"; readonly owner: string; readonly expiresAtMs: number };

/** Who drives a session. Each call is one short immediate transaction. */
export interface LeaseStore {
  /**
   * Takes or renews the lease until `expiresAtMs`. One that has expired by `nowMs`, or whose owner
   * `isGone`, is taken over.
   */
  acquire(lease: {
    readonly sessionId: SessionId;
    readonly owner: string;
    readonly nowMs: number;
    readonly expiresAtMs: number;
    readonly isGone: (owner: string) => boolean;
  }): LeaseAnswer;
  /** Another owner's lease stays. */
  release(sessionId: SessionId, owner: string): void;
}
