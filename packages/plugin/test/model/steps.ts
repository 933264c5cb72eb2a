import type { Agent, Change, ModelName } from "./world.ts";

/** What the storage does during a call. */
export type Fault =
  /** One call of it fails and the process goes on. */
  | { readonly kind: "error"; readonly atCall: number }
  /** The process dies at one call of it. */
  | { readonly kind: "crash"; readonly atCall: number; readonly strikes: "before" | "after" }
  /** The process dies when the request is out, before anything more is written. */
  | { readonly kind: "kill" };

/** `flood`: a tool's call fails with a text that is over the limit. */
export type Outcome = "answer" | "bash" | "flood" | "sub" | "deep" | "fail" | "abort";

/** One model call of the main loop. */
export interface CallOptions {
  readonly outcome: Outcome;
  /** How often the provider refuses before it answers or fails for good. */
  readonly retries: number;
  /** Whether a title call's system.transform comes between the hooks. */
  readonly title: boolean;
  /** Whether another plugin pushes a part into the newest message, in memory only. */
  readonly pushed: boolean;
  /** Whether the call would not fit as it is. */
  readonly full: boolean;
  /** Whether the session's own policies say that a rewrite is worth a warm cache. */
  readonly worth: boolean;
  /** What changes in the world between the two hooks. */
  readonly meanwhile: Change | null;
  readonly fault: Fault | null;
}

export const plainCall: CallOptions = {
  outcome: "answer",
  retries: 0,
  title: false,
  pushed: false,
  full: false,
  worth: false,
  meanwhile: null,
  fault: null,
};

export type Slot = 0 | 1;

export interface Compaction {
  /** How many of the last rows stay behind the summary. */
  readonly tail: number;
  readonly outcome: "done" | "fails" | "dies";
  /** Whether the host goes on by itself afterwards. */
  readonly goesOn: boolean;
  /** Whether a title call's system.transform comes before the compaction's own pass. */
  readonly title: boolean;
  readonly call: Partial<CallOptions>;
}

/** One thing that happens. Steps that don't apply do nothing, so that every part of a list is a list. */
export type Step =
  | {
      readonly do: "prompt";
      readonly slot: Slot;
      readonly agent: Agent;
      readonly model: ModelName;
      readonly own: string | null;
      readonly call: CallOptions;
    }
  /** The next step of a turn whose last one called tools. */
  | { readonly do: "go on"; readonly slot: Slot; readonly call: CallOptions }
  | { readonly do: "change"; readonly change: Change }
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "restart" }
  | { readonly do: "other process" }
  | { readonly do: "undo"; readonly slot: Slot; readonly prompts: number }
  | (Compaction & { readonly do: "compact"; readonly slot: Slot })
  | { readonly do: "move"; readonly slot: Slot }
  | { readonly do: "fork"; readonly slot: Slot }
  | { readonly do: "delete"; readonly slot: Slot }
  | { readonly do: "prune"; readonly slot: Slot }
  /** A job or a command proposes to drop the n-th last result; what is proposed twice is one proposal. */
  | {
      readonly do: "propose";
      readonly slot: Slot;
      readonly urgency: "command" | "waits";
      readonly result: number;
    };
