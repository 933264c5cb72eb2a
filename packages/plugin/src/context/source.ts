import type { z } from "zod";
import type { SourceKey } from "./key.ts";

/** A loader's word that it could not observe now. The prior belief stands. */
export class Unavailable {
  constructor(readonly reason: string) {}
}

/** A loader's word that it looked and there is nothing. */
export const absent: unique symbol = Symbol("absent");
export type Absent = typeof absent;

export type Loaded<T> = T | Absent | Unavailable;

/** One independently observed, typed value. Renderers are pure and never return an empty text. */
export interface SourceDefinition<T> {
  /** Validated against `sourceKey`. */
  readonly key: string;
  /** The value's codec: what is stored is its encoded JSON. */
  readonly schema: z.ZodType<T>;
  readonly load: () => Promise<Loaded<T>>;
  /** Text that states the value in a Baseline, and when it is first told later on. */
  readonly baseline: (current: T) => string;
  /** Text that states the newly effective value. */
  readonly update: (previous: T, current: T) => string;
  /** Text that takes the value back; sources without one need a new Baseline to go away. */
  readonly removed?: (previous: T) => string;
  /** A required source that is unavailable at the start blocks initialization. */
  readonly required?: true;
}

/** The text of one source in a Baseline or an update. */
export interface KeyedText {
  readonly key: SourceKey;
  readonly text: string;
}
