// What a provider may do with a request: answer, call, refuse, break, wait.
import type { JsonObject } from "../json.ts";

export interface ScriptedCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** What the provider does with one request. */
export type Reply =
  | { readonly type: "answer"; readonly text: string; readonly calls: readonly ScriptedCall[] }
  | { readonly type: "failure"; readonly status: number; readonly retryAfterMs: number }
  /** In the provider's own words, and for good. */
  | { readonly type: "refusal"; readonly message: string }
  | { readonly type: "broken"; readonly text: string; readonly ending: Ending }
  | { readonly type: "delayed"; readonly delayMs: number; readonly reply: Reply }
  | { readonly type: "held"; readonly gate: Gate; readonly reply: Reply };

/** How a broken stream ends: the connection is torn down, or closed as if all had been said. */
type Ending = "reset" | "closed";

/** Holds a call until a test lets it go on. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export const say = (text: string): Reply => ({ type: "answer", text, calls: [] });

export const call = (name: string, input: JsonObject): Reply => calls({ name, input });

export const calls = (...scripted: readonly ScriptedCall[]): Reply => ({
  type: "answer",
  text: "",
  calls: scripted,
});

/** An HTTP failure that asks to be retried at once. */
export const fail = (status: number): Reply => ({ type: "failure", status, retryAfterMs: 1 });

/** A stream whose connection is torn down in the middle of its text. */
export const breakOff = (text: string): Reply => ({ type: "broken", text, ending: "reset" });

/** A stream that stops in the middle of its text, without an error and without a finish. */
export const trailOff = (text: string): Reply => ({ type: "broken", text, ending: "closed" });

export const after = (delayMs: number, reply: Reply): Reply => ({
  type: "delayed",
  delayMs,
  reply,
});

export const held = (gate: Gate, reply: Reply): Reply => ({ type: "held", gate, reply });

export function makeGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: () => resolve() };
}
