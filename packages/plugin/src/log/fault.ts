// Reduces an error to what the log may record: class, code and place.

/** The facts of a fault. `error` is its class, or the type of a thrown non-error. */
type FaultFields = Readonly<Record<"code" | "frame", string | null> & Record<"error", string>>;

/**
 * Returns what the log may record of an error: its class, its code and where it was thrown. The message is
 * left out, because those of parsers and providers quote their input.
 */
export function toFaultFields(error: unknown): FaultFields {
  if (!(error instanceof Error)) return { error: typeof error, code: null, frame: null };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return { error: error.name, code, frame: findFirstFrame(error) };
}

/**
 * Returns the innermost frame: a function and a place in the code. The message is removed from the stack
 * first, because its lines may look like frames.
 */
function findFirstFrame(error: Error): string | null {
  const frames = error.stack?.replace(error.message, () => "").split("\n");
  const frame = frames?.find((line) => /^\s+at /.test(line));
  return frame?.trim() ?? null;
}

/** Reports a failure of ours, once to the user and each time to the log. */
export interface FailureReporter {
  failed(where: string, error: unknown): void;
  /**
   * Reports that the work `where` succeeded, which ends its earlier failure. `where` names a single piece of
   * work, not a group.
   */
  worked(where: string): void;
  /**
   * Reports that the database has accepted a write, which ends the failures of all work whose writes it had
   * refused.
   */
  storageWorks(): void;
}
