// How a run ends: the process's exit codes, and expected failures with what to do about them.

/** What the process ends with. Scripts may rely on these; `doctor --help` lists them. */
export const EXIT = {
  /** It was done, or there was nothing to do. */
  done: 0,
  /** It was tried and failed. */
  failed: 1,
  /** The command line is wrong; nothing was tried. */
  usage: 2,
  /** A check found something that needs you. */
  findings: 3,
  /** Something that it needs is not there: OpenCode, a database, a session. */
  missing: 4,
  /** You broke it off. */
  cancelled: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that we foresaw: what went wrong, and what to do about it. Printed without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    /** Stable, for scripts: `config-unreadable`. */
    readonly code: string,
    message: string,
    readonly advice: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

/** The command line itself is wrong. */
export function misuse(message: string, advice: string): CliError {
  return new CliError("usage", message, advice, EXIT.usage);
}
