// Defines how a run ends: the exit codes, and expected failures with what to do about them.

/** Lists the exit codes. Scripts may rely on them; `doctor --help` lists them. */
export const EXIT = {
  /** The work was done, or there was nothing to do. */
  done: 0,
  /** The work was tried and failed. */
  failed: 1,
  /** The command line is wrong; nothing was tried. */
  usage: 2,
  /** A check found something that needs the user. */
  findings: 3,
  /** Something required is missing: OpenCode, a database, a session. */
  missing: 4,
  /** The user cancelled the run. */
  cancelled: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An expected failure: what went wrong, and what to do about it. Printed without a stack. */
export class CliError extends Error {
  override readonly name = "CliError";

  constructor(
    /** A stable code for scripts, such as `config-unreadable`. */
    readonly code: string,
    message: string,
    readonly advice: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

/** Reports that the command line itself is wrong. */
export function misuse(message: string, advice: string): CliError {
  return new CliError("usage", message, advice, EXIT.usage);
}
