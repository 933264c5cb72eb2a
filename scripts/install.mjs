// Installs what the lock file names, unless it is already installed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Installs what the lock file names, unless it is there: a fresh clone needs Node and npm only. */
export function ensureInstalled() {
  if (existsSync(`${root}node_modules/.package-lock.json`)) return;
  console.log("Installing the packages of package-lock.json (once; the host's binary is 180 MB) …");
  // Not `npm ci`: it refuses a lock file that lacks other platforms' binaries, which a registry that
  // mirrors one platform leaves out. What the file names is installed as it says.
  const { status } = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error(
      "npm install failed. Check the network and the registry, then run the command again.",
    );
    process.exit(1);
  }
}
