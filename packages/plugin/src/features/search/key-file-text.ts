// Renders key files for people.
import { makeVisible } from "../../status/visible.ts";
import { counted } from "../../status/wording.ts";
import type { KeyFile } from "./key-file-rank.ts";

const MAX_SHOWN = 30;

export const NO_FILES =
  "No file has been read or edited in two sessions of this project yet, as far as they are indexed.";

/** @param isShown whether sessions are given a file's outline */
export function filesText(
  files: readonly KeyFile[],
  isShown: (path: string) => boolean,
  pinned: readonly string[],
): string {
  const lines = files
    .slice(0, MAX_SHOWN)
    .map(({ path, sessions, reads, edits }) =>
      [
        `${isShown(path) ? "*" : " "} ${makeVisible(path)}: ${counted(sessions, "session")}`,
        counted(reads, "read"),
        counted(edits, "edit"),
      ].join(", "),
    );
  const first = pinned.map((path) => `${isShown(path) ? "*" : " "} ${makeVisible(path)}: pinned`);
  return [...first, ...lines].join("\n");
}
