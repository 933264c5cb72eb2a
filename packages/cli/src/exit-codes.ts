// The process's exit codes. Scripts may rely on these; `doctor --help` lists them.

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
