// Whether a spec can be what it is taken for, before any config names it.
import { statSync } from "node:fs";
import { CliError, EXIT } from "../cli-error.ts";
import {
  isPathSpec,
  manifestAround,
  nameOfSpec,
  PLUGIN_NAME,
  pathOfSpec,
  readManifest,
} from "./plugin-identity.ts";

const WHAT_IT_TAKES = `--spec takes the folder of the plugin's package, its entry file, or an npm spec like ${PLUGIN_NAME}@1.2.3. Nothing was changed.`;

/** Throws where OpenCode could not load it, or where it is not Session Runtime. */
export function checkSpec(spec: string): void {
  if (/\.(?:tgz|tar\.gz|tar|zip)$/.test(spec)) {
    throw refused(
      "spec-packed",
      `${spec} is an archive, which OpenCode can't load.`,
      "Unpack it and name the folder that has its package.json (in an npm archive: package). Nothing was changed.",
    );
  }
  if (!isPathSpec(spec)) {
    if (nameOfSpec(spec) === PLUGIN_NAME) return;
    throw refused("spec-foreign", `"${spec}" is not Session Runtime's plugin.`, WHAT_IT_TAKES);
  }
  const path = pathOfSpec(spec, "/");
  const manifest = statSync(path).isDirectory() ? readManifest(path) : manifestAround(path);
  if (manifest?.name === PLUGIN_NAME) return;
  const why =
    manifest === null ? "it has no package.json" : `its package is called ${String(manifest.name)}`;
  throw refused("spec-foreign", `${path} is not Session Runtime's plugin: ${why}.`, WHAT_IT_TAKES);
}

function refused(code: string, message: string, advice: string): CliError {
  return new CliError(code, message, advice, EXIT.usage);
}
