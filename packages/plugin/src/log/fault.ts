import type { Fields } from "./redact.ts";

/**
 * What the log may say of an error: its class, its code and where it was thrown. Not its message:
 * those of parsers and providers quote what they were given.
 */
export function faultFields(error: unknown): Fields {
  if (!(error instanceof Error)) return { error: typeof error, code: null, frame: null };
  const code = "code" in error && typeof error.code === "string" ? error.code : null;
  return { error: error.name, code, frame: firstFrame(error) };
}

/** The innermost frame: a function and a place in the code. */
function firstFrame(error: Error): string | null {
  const frame = error.stack?.split("\n").find((line) => /^\s+at /.test(line));
  return frame?.trim() ?? null;
}
