// A part of the configuration that was ignored, and its line for the user.

// Shortens a text from a file for display, and removes characters that control a terminal.

export function shortenText(text: string, most: number): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]/gu, "?");
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

/** Describes an ignored or renamed part of the configuration, and why. The plugin carries on without it. */
export interface ConfigWarning {
  /**
   * `refused` settings are allowed only in the user's own file, and `renamed` ones apply under a new name;
   * `wrong` covers everything else.
   */
  readonly kind: "wrong" | "refused" | "renamed";
  /** The file's path, or the name of the place that the value came from. */
  readonly file: string;
  /** The line, counted from 1; null for a whole file or for options in memory, which have none. */
  readonly line: number | null;
  /** The dotted key; null for the file as a whole. */
  readonly key: string | null;
  readonly reason: string;
}

/** Renders one line for a log or a report. */
export function renderWarning(warning: ConfigWarning): string {
  const place = warning.line === null ? warning.file : `${warning.file}:${warning.line}`;
  const where = warning.key === null ? place : `${place}: ${warning.key}`;
  return `${where}: ${warning.reason}`;
}

/** Adds the path of the file that is allowed to contain the refused setting. */
export function withOwnFile(warning: ConfigWarning, ownFile: string): ConfigWarning {
  if (warning.kind !== "refused") return warning;
  return { ...warning, reason: `${warning.reason}; set it in ${ownFile}` };
}

/** Locates an entry of `sources` in a project's file. */
export type EntryPlace = Pick<ConfigWarning, "file" | "line" | "key">;

/** Warns that an entry's path leads outside the project and is not read. */
export function createOutsideWarning(place: EntryPlace, path: string): ConfigWarning {
  const reason = `${shortenText(path, 120)} points outside the project, so it is not read`;
  return { ...place, kind: "wrong", reason };
}
