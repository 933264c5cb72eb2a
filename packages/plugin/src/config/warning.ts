// A part of the configuration that was ignored, and its line for the user.
import { shortened } from "./shown.ts";

/** Something in the configuration that was not taken or has another name, and why. The plugin carries on without it. */
export interface ConfigWarning {
  /**
   * `refused`: it may stand in the user's own file only. `renamed`: it counts, and has another name now.
   * `wrong`: anything else.
   */
  readonly kind: "wrong" | "refused" | "renamed";
  /** Path of the file, or the name of the place that the value came from. */
  readonly file: string;
  /** Counted from 1; null where there is none to name: a file as a whole, options given in memory. */
  readonly line: number | null;
  /** Dotted key; null: the file as a whole. */
  readonly key: string | null;
  readonly reason: string;
}

/** One line for a log or a report. */
export function warningLine(warning: ConfigWarning): string {
  const place = warning.line === null ? warning.file : `${warning.file}:${warning.line}`;
  const where = warning.key === null ? place : `${place}: ${warning.key}`;
  return `${where}: ${warning.reason}`;
}

/** With the file that a refused setting may stand in. */
export function withOwnFile(warning: ConfigWarning, ownFile: string): ConfigWarning {
  if (warning.kind !== "refused") return warning;
  return { ...warning, reason: `${warning.reason}; set it in ${ownFile}` };
}

/** Where a project's file gives an entry of `sources`. */
export type EntryPlace = Pick<ConfigWarning, "file" | "line" | "key">;

/** Of a path that such an entry comes to, and that is not read. */
export function leadsOutside(place: EntryPlace, path: string): ConfigWarning {
  const reason = `${shortened(path, 120)} leads out of the project; it is not read`;
  return { ...place, kind: "wrong", reason };
}
