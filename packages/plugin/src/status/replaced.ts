// Explains what became of a database of a development version.

import type { ReplacedDevelopment } from "../storage/development.ts";
import { counted } from "./wording.ts";

/** Explains it in sentences, for the notice and for the command line. */
export function replacedText(
  path: string,
  { aside, version, markdown, kept, left }: ReplacedDevelopment,
): string {
  const brought =
    kept.length === 0
      ? "It held no memories, notes or queued prompts."
      : `Brought over: ${kept.join(", ")}.`;
  return [
    `The database ${path} was written by a development version (schema ${version}), which this version can't use. It was moved to ${aside}, and a new one was created.`,
    brought,
    ...(markdown === null ? [] : [`They are also in ${markdown}.`]),
    ...(left === 0 ? [] : [`${counted(left, "row")} that did not fit stayed in the old one.`]),
  ].join(" ");
}

export const REPLACED_REMEDY =
  "Look through your memories with /ctx-memory. Running sessions start a new epoch. Delete the moved files once nothing is missing.";
