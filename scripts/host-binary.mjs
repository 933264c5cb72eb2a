// Path of the real host's binary.
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { opencodeBinary, PINNED_OPENCODE } from "./fetch/opencode.mjs";

/**
 * Path of the real host's binary: the one that OPENCODE_BIN names, or of the version that HOST_VERSION
 * names (`1.18.30`, or `latest`), or of the pinned one. It is fetched if it is not there.
 */
export function hostBinary() {
  const { OPENCODE_BIN, HOST_VERSION } = process.env;
  if (OPENCODE_BIN) return OPENCODE_BIN;
  if (!HOST_VERSION) return pinnedBinary();
  // Found once: processes that are started from here take it over.
  process.env.OPENCODE_BIN = versionBinary(HOST_VERSION);
  return process.env.OPENCODE_BIN;
}

/** The version that everything is tested with; a user's wrong OPENCODE_BIN must not keep the clone from building. */
export function pinnedBinary() {
  return opencodeBinary(PINNED_OPENCODE);
}

/** The binary of a version. */
export function versionBinary(version) {
  const exact = version === "latest" ? newestHost() : version;
  if (!/^\d+\.\d+\.\d+$/.test(exact)) {
    throw new Error(`HOST_VERSION is "${version}": give a version like 1.18.33, or "latest".`);
  }
  return opencodeBinary(exact);
}

/** What the registry calls the latest. */
export function newestHost() {
  const args = ["view", "opencode-ai", "version", "--loglevel=error"];
  const shell = process.platform === "win32";
  const { status, stdout, stderr } = spawnSync("npm", args, {
    cwd: tmpdir(),
    encoding: "utf8",
    shell,
  });
  if (status === 0) return stdout.trim();
  throw new Error(`npm view failed: check the network and the registry.\n${stderr}`);
}
