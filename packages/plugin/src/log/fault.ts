// What the log may record of an error: class, code and place.

/** `error` is its class, or the type of what was thrown in its place. */
type FaultFields = Readonly<Record<"code" | "frame", string | null> & Record<"error", string>>;

/**
 * What the log may say of an error: its class, its code and where it was thrown. Not its message:
 * those of parsers and providers quote what they were given.
 */
export function faultFields(error: unknown): FaultFields {
  if (!(error instanceof Error)) return { error: typeof error, code: null, frame: null };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return { error: error.name, code, frame: firstFrame(error) };
}

/** The innermost frame: a function and a place in the code. A message may have lines like that, too. */
function firstFrame(error: Error): string | null {
  const frames = error.stack?.replace(error.message, () => "").split("\n");
  const frame = frames?.find((line) => /^\s+at /.test(line));
  return frame?.trim() ?? null;
}

/** Reports a failure of ours: once to the user, each time to the log. */
export interface FailureReporter {
  failed(where: string, error: unknown): void;
  /** The same work went well: what it failed by is over. `where` names one piece of work, and no group of it. */
  worked(where: string): void;
  /** The database has taken a write: what it refused before is over, whichever work met that. */
  storageWorks(): void;
}
