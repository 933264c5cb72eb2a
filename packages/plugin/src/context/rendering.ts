// Calls a source's renderer; its failures become errors that name the source.
import type { SourceKey } from "./key.ts";

/** Which of a source's renderers was asked. */
export type Rendering = "baseline" | "update" | "removal";

/** A renderer gave no text: a defect of the source, never a reason to say nothing. */
export class EmptyRenderingError extends Error {
  readonly code = "empty_rendering";
  constructor(
    readonly key: SourceKey,
    readonly rendering: Rendering,
  ) {
    super(`Context Source ${key} gave an empty ${rendering} text.`);
    this.name = "EmptyRenderingError";
  }
}

/** A renderer threw; the cause is what it threw. */
export class FailedRenderingError extends Error {
  readonly code = "failed_rendering";
  constructor(
    readonly key: SourceKey,
    readonly rendering: Rendering,
    cause: unknown,
  ) {
    super(`Context Source ${key} failed to give its ${rendering} text.`, { cause });
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
 * A lone surrogate can't be stored as UTF-8: a restart would send other bytes than the first call
 * did, so it is replaced before anything is sent or stored.
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
