// An expected failure: code, message, what to do.
import type { ExitCode } from "./exit-codes.ts";

/** A failure that we foresaw: what went wrong, and what to do about it. Printed without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    /** Stable, for scripts: `config-unreadable`. */
    readonly code: string,
    message: string,
    readonly advice: string,
    readonly exitCode: ExitCode,
  ) {
    super(message);
  }
}
