// Installs what the lock file names, unless it is already installed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/** Installs what the lock file names, unless it is there: a fresh clone needs Node and npm only. */
export function ensureInstalled() {
  if (existsSync(`${root}node_modules/.package-lock.json`)) return;
  console.log(
    "Installing the packages of package-lock.json (410 MB on the disk, once; about 30 s) …",
  );
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: root,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    console.error("npm ci failed. Check the network and the registry, then run the command again.");
    process.exit(1);
  }
}
