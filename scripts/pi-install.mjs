// Installs the real Pi, and a Node that it runs on, into a cache of the user's.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** The version that the tests run on where PI_VERSION names no other, and the oldest that they were run on. */
export const PI_PINNED = "1.6.0";
export const PI_OLDEST = "1.5.2";

/** What PI_VERSION names, such as `1.5.2` or `latest`. */
export const PI_VERSION = chosenVersion(process.env.PI_VERSION || PI_PINNED);

const PACKAGE = "@earendil-works/pi-coding-agent";
/** What Pi loads extensions with, and a Node that it takes; from the registry, as the machine's may be older. */
const BESIDE = ["jiti@2.7.0", "node@24"];
const NODE = "node_modules/node/bin/node";

/**
 * Paths of Pi's program and of a Node for it. Its package is a bundle that runs as it is unpacked; an
 * installation would need sister packages that not every registry has.
 */
export function installPi() {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "session-runtime/pi");
  const folder = join(cache, PI_VERSION);
  const program = join(folder, "package/dist/bundle/cli.js");
  const node = join(folder, NODE);
  if (!existsSync(node)) install(folder);
  return { program, node };
}

function chosenVersion(wanted) {
  const exact = wanted === "latest" ? newestPi() : wanted;
  if (!/^\d+\.\d+\.\d+$/.test(exact)) {
    throw new Error(`PI_VERSION is "${wanted}": give a version like ${PI_PINNED}, or "latest".`);
  }
  // Found once: processes that are started from here take it over.
  process.env.PI_VERSION = exact;
  return exact;
}

function newestPi() {
  return npm(["view", PACKAGE, "version", "--loglevel=error"], tmpdir()).trim();
}

function install(folder) {
  console.error(`Installing Pi ${PI_VERSION} and a Node for it (about 60 MB, once) …`);
  // Beside others that install it at the same time, the first one's stays.
  const own = `${folder}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "package.json"), JSON.stringify({ private: true }));
  npm(["pack", `${PACKAGE}@${PI_VERSION}`, "--loglevel=error"], own);
  const [archive] = readdirSync(own).filter((name) => name.endsWith(".tgz"));
  run("tar", ["xzf", archive], own);
  // A script of the package `node` fetches its binary, and our .npmrc turns scripts off.
  const scripts = "--ignore-scripts=false";
  npm(["install", scripts, "--no-audit", "--no-fund", "--loglevel=error", ...BESIDE], own);
  const binary = join(own, NODE);
  if (!existsSync(binary)) {
    throw new Error(`npm has installed no Node for Pi: there is no ${binary}. Remove that folder.`);
  }
  cpSync(join(own, "node_modules/jiti"), join(own, "package/node_modules/jiti"), {
    recursive: true,
  });
  if (existsSync(join(folder, NODE))) {
    rmSync(own, { recursive: true, force: true });
    return;
  }
  // What a former installation left without a Node.
  rmSync(folder, { recursive: true, force: true });
  renameSync(own, folder);
}

function npm(args, cwd) {
  return run("npm", args, cwd);
}

function run(command, args, cwd) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args[0]} failed: check the network and the registry.\n${stderr}`);
}
