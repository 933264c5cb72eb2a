// Plugin entries that name a path where there is nothing.
import { pluginEntries } from "../../config-file/plugin-list.ts";
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
  return files.flatMap((file) =>
    pluginEntries(file)
      .filter(({ spec }) => isGone(spec, file.path))
      .map(({ spec }) => ({
        file: file.path,
        path: pathOfSpec(spec, file.path),
        isOurs: isOurs(spec, file.path, written),
      })),
  );
}
