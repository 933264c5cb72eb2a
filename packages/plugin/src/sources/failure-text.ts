// Describes an error that a source's own code threw, without quoting its message.
import { NotJsonError } from "../context/canonical.ts";

/**
 * Describes an error from a source's code for the log, notices and status: our own message, or else its class
 * and code. Other messages are left out, because those of parsers, servers and other plugins quote their
 * input. A source that has a message for the user returns `unavailable(reason)`.
 */
export function describeFailure(what: string, error: unknown): string {
  if (error instanceof NotJsonError) return error.message;
  if (!(error instanceof Error)) return `${what} threw no error but a ${typeof error}`;
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return `${what} threw ${error.name}${code}`;
}
