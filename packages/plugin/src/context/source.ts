// Defines a Context Source, the two special results of its loader, and the scope that it is loaded for.
import type * as z from "zod";
import type { SourceKey } from "./key.ts";

// The scope that sources are loaded for: a place, a session, an agent and a model.

export interface SourceScope {
  readonly location: { readonly directory: string; readonly worktree: string };
  readonly sessionId: string;
  readonly agent: string;
  readonly model: { readonly providerId: string; readonly modelId: string };
}

// Another plugin may have loaded its own copy of this module, so a loader's result is recognised by registered
// symbols, which all copies share, and not by `instanceof`.
const unavailableMark = Symbol.for("session-runtime/unavailable");

/**
 * Returned by a loader that could not read its source, for example after a timeout. The last known value
 * stays in effect.
 */
export class Unavailable {
  readonly [unavailableMark] = true;
  constructor(readonly reason: string) {}
}

export function isUnavailable(loaded: unknown): loaded is Unavailable {
  return typeof loaded === "object" && loaded !== null && unavailableMark in loaded;
}

/** Returned by a loader that could read its source and found nothing. */
export const absent: unique symbol = Symbol.for("session-runtime/absent");
export type Absent = typeof absent;

export type LoadResult<T> = T | Absent | Unavailable;

/** One independently observed, typed value. Renderers are pure and never return an empty text. */
export interface SourceDefinition<T> {
  /** The key, which must be a valid `SourceKey`. */
  readonly key: string;
  /**
   * Encodes the value as JSON for storage. Keep one schema object for the life of the process: encodings are
   * cached by it.
   */
  readonly schema: z.ZodType<T>;
  /**
   * Treat returned values as immutable: the same object means that nothing has changed and is not hashed again.
   * Return synchronously when you can: every promise delays every model call.
   */
  readonly load: () => LoadResult<T> | Promise<LoadResult<T>>;
  /** Renders the value for a Baseline, and for its first announcement later on. */
  readonly baseline: (current: T) => string;
  /** Renders the new value for an update. */
  readonly update: (previous: T, current: T) => string;
  /**
   * Renders the text that takes the value back; without it, the source can disappear only with a new
   * Baseline.
   */
  readonly removed?: (previous: T) => string;
  /**
   * Returns true while the loader reads only files of this machine: the start of an epoch then waits for it
   * beyond any time limit, since nothing else would state their contents. Without this function, the loader
   * may be waiting for anything.
   */
  readonly readsFilesAlone?: () => boolean;
  /** Blocks initialization while the source is unavailable at the start. */
  readonly required?: true;
}

/** The text of one source, in a Baseline or an update. */
export interface KeyedText {
  readonly key: SourceKey;
  readonly text: string;
}

// Calls a source's renderer and turns its failures into errors that name the source.

/** Names one of a source's three renderers. */
export type Rendering = "baseline" | "update" | "removal";

/** Thrown when a renderer returns no text: a defect of the source, never a way to announce nothing. */
export class EmptyRenderingError extends Error {
  readonly code = "empty_rendering";
  constructor(
    readonly key: SourceKey,
    readonly rendering: Rendering,
  ) {
    super(`Context Source ${key} returned an empty ${rendering} text.`);
    this.name = "EmptyRenderingError";
  }
}

/** Thrown when a renderer throws; `cause` is its error. */
export class FailedRenderingError extends Error {
  readonly code = "failed_rendering";
  constructor(
    readonly key: SourceKey,
    readonly rendering: Rendering,
    cause: unknown,
  ) {
    super(`Context Source ${key} failed to render its ${rendering} text.`, { cause });
    this.name = "FailedRenderingError";
  }
}

/** @throws EmptyRenderingError, FailedRenderingError */
export function renderSourceText(
  key: SourceKey,
  rendering: Rendering,
  renderer: () => string,
): string {
  const text = toWellFormed(attemptRendering(key, rendering, renderer));
  if (text.trim() === "") throw new EmptyRenderingError(key, rendering);
  return text;
}

/**
 * Replaces lone surrogates, which can't be stored as UTF-8: otherwise a restart would send different bytes
 * than the first call.
 */
export function toWellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function attemptRendering(key: SourceKey, rendering: Rendering, renderer: () => string): string {
  try {
    return renderer();
  } catch (cause) {
    throw new FailedRenderingError(key, rendering, cause);
  }
}
