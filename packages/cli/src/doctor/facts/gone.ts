// Plugin entries that name a path where there is nothing.
import { readPlugins } from "../../config-file/plugin-list.ts";
import type { ConfigFile } from "../../config-file/read-file.ts";
import { isGone, isOurs, pathOfSpec } from "../../setup/plugin-identity.ts";

export interface GoneEntry {
  /** The config file that names it. */
  readonly file: string;
  readonly path: string;
  readonly isOurs: boolean;
}

export function goneEntries(
  files: readonly ConfigFile[],
  written: ReadonlySet<string>,
): readonly GoneEntry[] {
  return files.flatMap((file) => {
    const list = file.kind === "present" ? readPlugins(file.document) : null;
    if (list?.kind !== "list") return [];
    return list.entries
      .filter(({ spec }) => isGone(spec, file.path))
      .map(({ spec }) => ({
        file: file.path,
        path: pathOfSpec(spec, file.path),
        isOurs: isOurs(spec, file.path, written),
      }));
  });
}
