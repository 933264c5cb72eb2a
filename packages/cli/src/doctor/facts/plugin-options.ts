// Our options in the host's config, with the file and the lines that they are written on.
import { readJsonc } from "../../../../plugin/src/config/jsonc.ts";
import type { Layer } from "../../../../plugin/src/config/resolve.ts";
import { pluginEntries } from "../../config-file/plugin-list.ts";
import type { ConfigFile } from "../../config-file/read-file.ts";
import { isPathSpec, pathOfSpec } from "../../setup/plugin-identity.ts";
import type { LoadedPlugin } from "./loaded-plugin.ts";

export function optionLayers(
  plugins: readonly LoadedPlugin[],
  configFiles: readonly ConfigFile[],
): readonly Layer[] {
  return plugins.flatMap((plugin) => {
    const { isOurs, options: value, source } = plugin;
    if (!isOurs || value === undefined || value === null) return [];
    const place = configFiles.map((file) => entryIn(file, plugin)).find((found) => found !== null);
    const { file, lineOf } = place ?? { file: `plugin options in ${source}`, lineOf: () => null };
    return [{ file, scope: "user" as const, value, lineOf }];
  });
}

function entryIn(file: ConfigFile, { spec }: LoadedPlugin): Pick<Layer, "file" | "lineOf"> | null {
  if (file.kind !== "present") return null;
  const { path, document } = file;
  const isMeant = (written: string) =>
    written === spec || (isPathSpec(written) && pathOfSpec(written, path) === spec);
  const entry = pluginEntries(file).find((one) => one.node.type === "array" && isMeant(one.spec));
  if (entry === undefined) return null;
  const index = (entry.node.parent?.children ?? []).indexOf(entry.node);
  const parsed = readJsonc(document.text);
  return {
    file: path,
    lineOf: (key) =>
      parsed.kind === "value" ? parsed.lineOf(["plugin", String(index), "1", ...key]) : null,
  };
}
