// What a Context Source is; a loader's results `unavailable` and `absent`.
import type * as z from "zod";
import type { SourceKey } from "./key.ts";

// Another plugin may have loaded its own copy of this module: what a loader answers is recognised
// by registered symbols, which all copies share, and not by `instanceof`.
const unavailableMark = Symbol.for("session-runtime/unavailable");

/** A loader's word that it could not observe now. The prior belief stands. */
export class Unavailable {
  readonly [unavailableMark] = true;
  constructor(readonly reason: string) {}
}

export function isUnavailable(loaded: unknown): loaded is Unavailable {
  return typeof loaded === "object" && loaded !== null && unavailableMark in loaded;
}

/** A loader's word that it looked and there is nothing. */
export const absent: unique symbol = Symbol.for("session-runtime/absent");
export type Absent = typeof absent;

export type LoadResult<T> = T | Absent | Unavailable;

/** One independently observed, typed value. Renderers are pure and never return an empty text. */
export interface SourceDefinition<T> {
  /** Validated against `sourceKey`. */
  readonly key: string;
  /**
   * The value's codec: what is stored is its encoded JSON. Keep one schema object for the life of
   * the process: encodings are remembered by it.
   */
  readonly schema: z.ZodType<T>;
  /**
   * A value is never changed after it was given: the same object means the same value, and is not
   * hashed again. One that is at hand is given at once: each promise has its price in every call.
   */
  readonly load: () => LoadResult<T> | Promise<LoadResult<T>>;
  /** Text that states the value in a Baseline, and when it is first announced later on. */
  readonly baseline: (current: T) => string;
  /** Text that states the newly effective value. */
  readonly update: (previous: T, current: T) => string;
  /** Text that takes the value back; sources without one need a new Baseline to go away. */
  readonly removed?: (previous: T) => string;
  /**
   * Whether it reads files of this machine alone, now: an epoch's start waits for them, whatever the clock
   * says, as nothing else would state them. Not given: it may be waiting for anything.
   */
  readonly readsFilesAlone?: () => boolean;
  /** A required source that is unavailable at the start blocks initialization. */
  readonly required?: true;
}

/** The text of one source in a Baseline or an update. */
export interface KeyedText {
  readonly key: SourceKey;
  readonly text: string;
}
