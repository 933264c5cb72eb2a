// A scripted session: what the user says, what the model does, and what is asked later.
// Folder: Long sessions with questions, for `npm run bench -- history`.
import type { Files } from "../../host/home.ts";
import type { ScriptedCall } from "../../provider/reply.ts";

/** Where a fact was stated. */
export const FACT_KINDS = [
  "output",
  "file",
  "error",
  "table",
  "grep",
  "mcp",
  "user",
  "decision",
] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** Something that stands in the session once. */
export interface Fact {
  readonly kind: FactKind;
  /** What was stated, as it stands in a text. */
  readonly line: string;
  /** The piece of the line that a right answer holds. */
  readonly answer: string;
  /** Holds no piece of the answer. */
  readonly question: string;
  /** What a model that doesn't know the answer would look for. */
  readonly query: string;
}

/** One call of the model. */
export interface Step {
  /** The tools that it calls at once. */
  readonly calls: readonly ScriptedCall[];
  /** It is left out where this stands in the request: the model sees what it would ask for. Null: never. */
  readonly unlessShown: string | null;
}

export interface WorkTurn {
  readonly type: "work";
  readonly prompt: string;
  readonly steps: readonly Step[];
  readonly answer: string;
  readonly facts: readonly Fact[];
}

export interface QuestionTurn {
  readonly type: "question";
  readonly fact: Fact;
  /** How many turns ago it was stated. */
  readonly age: number;
}

export type ScriptTurn = WorkTurn | QuestionTurn;

export interface SessionScript {
  readonly name: string;
  readonly files: Files;
  readonly turns: readonly ScriptTurn[];
}

export function step(...calls: readonly ScriptedCall[]): Step {
  return { calls, unlessShown: null };
}
