// The plugin that most people use for the same work, from npm, to be measured beside ours.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export interface InstalledPeer {
  /** As tables have it: its short name and version. */
  readonly name: string;
  /** For the host's `plugin` list. */
  readonly entry: string;
}

const PACKAGE = "@tarquinen/opencode-dcp";
/** A folder a version: what was measured stays named by it. */
export const PEER_VERSION = "3.1.14";

/** Installs it where it isn't yet. @throws Error with npm's words */
export function installPeer(): InstalledPeer {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  const folder = join(cache, "session-runtime/peers", `dcp-${PEER_VERSION}`);
  const installed = join(folder, "node_modules", PACKAGE);
  const entry = join(installed, "dist/index.js");
  if (!existsSync(entry)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
    const { status, stderr } = spawnSync(
      "npm",
      ["install", "--no-audit", "--no-fund", "--loglevel=error", `${PACKAGE}@${PEER_VERSION}`],
      { cwd: folder, encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`npm can't install ${PACKAGE}: ${stderr}`);
  }
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  return { name: `DCP ${version}`, entry };
}
