// Path of the real host's binary.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { installHost } from "./host-install.mjs";

/**
 * Path of the real host's binary: the one that OPENCODE_BIN names, the version that HOST_VERSION
 * names (`1.18.30`, or `latest`; installed if need be), or the pinned one.
 */
export function hostBinary() {
  const { OPENCODE_BIN, HOST_VERSION } = process.env;
  if (OPENCODE_BIN) return OPENCODE_BIN;
  if (!HOST_VERSION) return pinnedBinary();
  // Found once: processes that are started from here take it over.
  process.env.OPENCODE_BIN = versionBinary(HOST_VERSION);
  return process.env.OPENCODE_BIN;
}

/** What bundles: a user's wrong OPENCODE_BIN must not keep the clone's command line from saying so. */
export function bunForBuilds() {
  return binaryFrom(import.meta.url) ?? hostBinary();
}

/** The version that package.json pins. */
export function pinnedBinary() {
  const binary = binaryFrom(import.meta.url);
  if (binary) return binary;
  throw new Error("The host's binary is not installed: run `npm install`, or set OPENCODE_BIN.");
}

export function pinnedVersion() {
  return createRequire(import.meta.url)("opencode-ai/package.json").version;
}

/** The binary of a version, installed into the cache if it is not there. */
export function versionBinary(version) {
  const folder = installHost(version);
  const binary = binaryFrom(join(folder, "package.json"));
  if (binary) return binary;
  throw new Error(`opencode-ai ${version} has no binary for this platform: remove ${folder}.`);
}

/** npm lays the platform's package beside `opencode-ai`. */
function binaryFrom(place) {
  const require = createRequire(place);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const file = process.platform === "win32" ? "opencode.exe" : "opencode";
  for (const variant of ["", "-musl", "-baseline", "-baseline-musl"]) {
    try {
      const manifest = require.resolve(
        `opencode-${platform}-${process.arch}${variant}/package.json`,
      );
      const binary = join(dirname(manifest), "bin", file);
      if (existsSync(binary)) return binary;
    } catch (error) {
      if (error.code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return null;
}
