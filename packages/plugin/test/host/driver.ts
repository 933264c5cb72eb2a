// What plays a scripted conversation to the edge of one host, in that host's own shapes.
import type { Reply } from "../../src/jobs/child-port.ts";
import type { TurnUsage } from "../../src/storage/records.ts";
import type { Place } from "./place.ts";

/** What is said in a session, in no host's words. */
export type SaidPart =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "model"; readonly blocks: readonly Block[] }
  /** The provider refused the call: an answer without content. */
  | { readonly by: "provider"; readonly refusal: string }
  /** A finished compaction of the host's, in place of all that was said so far. */
  | { readonly by: "host"; readonly summary: string };

export type Block =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  | {
      readonly type: "read";
      readonly path: string;
      readonly outcome: "read" | "failed";
      readonly result: string;
    };

/** A message of a request, in no host's words: its texts, its reasoning, and its calls with their results. */
export interface ShownMessage {
  readonly by: "user" | "assistant";
  readonly parts: readonly string[];
}

/** One model call. */
export interface Call {
  /** The host's messages as JSON, before the edge saw them. */
  readonly given: string;
  /** What goes out in their place. */
  readonly sent: string;
  readonly shown: readonly ShownMessage[];
  readonly system: string;
}

/** A session of the host's, with the edge in it. */
export interface DrivenSession {
  readonly sessionId: string;
  say(said: SaidPart): void;
  call(): Promise<Call>;
  /** The host reports the figures of the newest answer, as often as it does. */
  bill(usage: TurnUsage, paidUsd: number): Promise<void>;
  hear(what: "busy" | "idle" | "compacted"): Promise<void>;
  /** What the user was shown. */
  readonly notices: readonly string[];
  /** The same session in a new process. */
  restart(): Promise<DrivenSession>;
  /** A session that begins with what was said in this one. */
  fork(): Promise<DrivenSession>;
  close(): Promise<void>;
}

export interface Question {
  readonly system: string;
  readonly prompt: string;
  readonly maxOutputTokens: number;
}

/** What a model comes to, asked beside the turns. */
export type ModelAnswer =
  | { readonly type: "said"; readonly text: string; readonly ending: "whole" | "cut" }
  | { readonly type: "refused"; readonly status: 400 | 429 | 503 }
  | { readonly type: "stopped" };

export interface HostDriver {
  readonly host: string;
  /** Whose text the standing facts are in: where it is the host's own, the edge announces none of them. */
  readonly standing: "ours" | "host";
  /** Whether a fork's messages keep their ids. */
  readonly forks: "keep ids" | "renew ids";
  /** `text`: a job's answer comes without figures and without its ending, and the question in one text. */
  readonly answers: "whole" | "text";
  /** As the host names the model of every call. */
  readonly model: string;
  open(place: Place): Promise<DrivenSession>;
  /** Has the model answer one question of a job's: what reached it, and what the job gets. */
  ask(
    question: Question,
    answer: ModelAnswer,
  ): Promise<{ readonly asked: Question; readonly reply: Reply }>;
}
