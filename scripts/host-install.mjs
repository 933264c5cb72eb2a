// Installs another version of the host into a cache of the user's.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Outside of the workspace, or the pinned host would be found from there. */
function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "session-runtime/hosts");
}

/** Installs a version of the host into a folder of its own, once, and gives the folder. */
export function installHost(version) {
  const exact = version === "latest" ? newestHost() : version;
  if (!/^\d+\.\d+\.\d+$/.test(exact)) {
    throw new Error(`HOST_VERSION is "${version}": give a version like 1.18.33, or "latest".`);
  }
  const folder = join(cacheFolder(), exact);
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  console.error(`Installing opencode-ai ${exact} (about 180 MB, once) …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  npm([...args, `opencode-ai@${exact}`], folder);
  writeFileSync(done, "");
  return folder;
}

/** What the registry calls the latest. */
export function newestHost() {
  return npm(["view", "opencode-ai", "version", "--loglevel=error"], tmpdir()).trim();
}

function npm(args, cwd) {
  const options = { cwd, encoding: "utf8", shell: process.platform === "win32" };
  const { status, stdout, stderr } = spawnSync("npm", args, options);
  if (status === 0) return stdout;
  throw new Error(`npm ${args[0]} failed: check the network and the registry.\n${stderr}`);
}
