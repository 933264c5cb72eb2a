// Calls a source's renderer and turns its failures into errors that name the source.
import type { SourceKey } from "./key.ts";

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
export function render(key: SourceKey, rendering: Rendering, renderer: () => string): string {
  const text = wellFormed(attempt(key, rendering, renderer));
  if (text.trim() === "") throw new EmptyRenderingError(key, rendering);
  return text;
}

/**
 * Replaces lone surrogates, which can't be stored as UTF-8: after a restart other bytes would be sent than in
 * the first call.
 */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\uFFFD");
}

function attempt(key: SourceKey, rendering: Rendering, renderer: () => string): string {
  try {
    return renderer();
  } catch (cause) {
    throw new FailedRenderingError(key, rendering, cause);
  }
}
