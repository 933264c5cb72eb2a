// A part of the configuration that was ignored, and its line for the user.

/** Something in the configuration that was not taken, and why. The plugin goes on without it. */
export interface ConfigWarning {
  /** Path of the file, or the name of the place that the value came from. */
  readonly file: string;
  /** Dotted key; null: the file as a whole. */
  readonly key: string | null;
  readonly reason: string;
}

/** One line for a log or a report. */
export function warningLine(warning: ConfigWarning): string {
  const where = warning.key === null ? warning.file : `${warning.file}: ${warning.key}`;
  return `${where}: ${warning.reason}`;
}
