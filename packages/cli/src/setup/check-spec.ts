// Checks that a spec can be loaded, before any config names it.
import { statSync } from "node:fs";
import { CliError, EXIT } from "../cli-error.ts";
import {
  isOurs,
  isPathSpec,
  type Listing,
  manifestAround,
  PI_LISTING,
  pathOfSpec,
  readManifest,
} from "./plugin-identity.ts";

/** Checks a spec. @throws CliError where the host could not load it, or it is not the package for that host */
export function checkSpec(spec: string, listing: Listing): void {
  const { packageName } = listing;
  const isPi = listing === PI_LISTING;
  const host = isPi ? "Pi" : "OpenCode";
  const what = `not Session Runtime's ${isPi ? "extension for Pi" : "plugin"}`;
  const takes = `--spec takes the folder of the ${isPi ? "extension" : "plugin"}'s package, its entry file, or an npm spec like ${isPi ? "npm:" : ""}${packageName}@1.2.3. Nothing was changed.`;
  const isArchive = isPathSpec(spec) || !isPi;
  if (isArchive && /\.(?:tgz|tar\.gz|tar|zip)$/.test(spec)) {
    throw refused(
      "spec-packed",
      `${spec} is an archive, which ${host} can't load.`,
      "Unpack it and name the folder that has its package.json (in an npm archive: package). Nothing was changed.",
    );
  }
  if (!isPathSpec(spec)) {
    if (isOurs(spec, "/", { listing, written: new Set() })) return;
    throw refused("spec-foreign", `"${spec}" is ${what}.`, takes);
  }
  const path = pathOfSpec(spec, "/");
  const manifest = statSync(path).isDirectory() ? readManifest(path) : manifestAround(path);
  if (manifest?.name === packageName) return;
  const why =
    manifest === null ? "it has no package.json" : `its package is called ${String(manifest.name)}`;
  throw refused("spec-foreign", `${path} is ${what}: ${why}.`, takes);
}

function refused(code: string, message: string, advice: string): CliError {
  return new CliError(code, message, advice, EXIT.usage);
}
