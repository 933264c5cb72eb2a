// Finds, in the host's config, our options and the entries whose path does not exist.
import { readJsonc } from "@session-runtime/opencode/config/jsonc";
import type { ConfigLayer } from "@session-runtime/opencode/config/layer";
import { PLUGIN_LIST, PLUGINS_LIST, pluginEntries } from "../../config-file/plugin-list.ts";
import type { ConfigFile } from "../../config-file/read-file.ts";
import {
  isGone,
  isOurs,
  isPathSpec,
  OPENCODE_LISTING,
  pathOfSpec,
} from "../../setup/plugin-identity.ts";

/** Describes a plugin that the host loads, as far as the config describes it. */
export interface LoadedPlugin {
  readonly spec: string;
  /** The config that names the plugin. */
  readonly source: string;
  /** The entry's options besides the spec; undefined for an entry that is only a spec. */
  readonly options: unknown;
  readonly isOurs: boolean;
}

/** Returns our options, with the file and the lines that hold them. */
export function optionLayers(
  plugins: readonly LoadedPlugin[],
  configFiles: readonly ConfigFile[],
): readonly ConfigLayer[] {
  return plugins.flatMap((plugin) => {
    const { isOurs, options: value, source } = plugin;
    if (!isOurs || value === undefined || value === null) return [];
    const place = configFiles.map((file) => entryIn(file, plugin)).find((found) => found !== null);
    const { file, findLine } = place ?? {
      file: `plugin options in ${source}`,
      findLine: () => null,
    };
    return [{ file, scope: "options" as const, value, findLine }];
  });
}

function entryIn(
  file: ConfigFile,
  { spec }: LoadedPlugin,
): Pick<ConfigLayer, "file" | "findLine"> | null {
  if (file.kind !== "present") return null;
  const { path, document } = file;
  const isMeant = (written: string) =>
    written === spec || (isPathSpec(written) && pathOfSpec(written, path) === spec);
  const entry = pluginEntries(file, PLUGIN_LIST).find(
    (one) => one.node.type === "array" && isMeant(one.spec),
  );
  if (entry === undefined) return null;
  const index = (entry.node.parent?.children ?? []).indexOf(entry.node);
  const parsed = readJsonc(document.text);
  return {
    file: path,
    findLine: (key) =>
      parsed.kind === "value" ? parsed.findLine(["plugin", String(index), "1", ...key]) : null,
  };
}

export interface MissingEntry {
  /** The config file that names the plugin. */
  readonly file: string;
  readonly path: string;
  readonly isOurs: boolean;
}

export function missingEntries(
  files: readonly ConfigFile[],
  written: ReadonlySet<string>,
): readonly MissingEntry[] {
  return files.flatMap((file) =>
    [PLUGIN_LIST, PLUGINS_LIST]
      .flatMap((form) => pluginEntries(file, form))
      .filter(({ spec }) => isGone(spec, file.path))
      .map(({ spec }) => ({
        file: file.path,
        path: pathOfSpec(spec, file.path),
        isOurs: isOurs(spec, file.path, { listing: OPENCODE_LISTING, written }),
      })),
  );
}
