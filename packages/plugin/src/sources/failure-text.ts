// What may be said about an error thrown by a source's own code.
import { NotJsonError } from "../context/canonical.ts";

/**
 * What may be shown, in the log, notices and status, of an error that the code of a source threw: our
 * own words, else its class and its code. Not its message: those of parsers, servers and other
 * plugins quote what they were given. A source with words for the user says `unavailable(reason)`.
 */
export function failureWords(what: string, error: unknown): string {
  if (error instanceof NotJsonError) return error.message;
  if (!(error instanceof Error)) return `${what} threw no error but a ${typeof error}`;
  const code = "code" in error && typeof error.code === "string" ? ` ${error.code}` : "";
  return `${what} threw ${error.name}${code}`;
}
