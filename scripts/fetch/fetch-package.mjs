// `node scripts/fetch/fetch-package.mjs NAME@VERSION FOLDER MEGABYTES [INTEGRITY]`: fetches one package by npm,
// shows how far it is, and unpacks it into FOLDER/package.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const [spec, folder, megabytes, integrity] = process.argv.slice(2);
const BYTES_PER_MEGABYTE = 1_000_000;
const LOOK_EVERY_MS = 250;
/** Where lines can't be overwritten, as in a log: this many of them for one package. */
const LINES_OF_A_LOG = 4;

try {
  await fetchArchive();
  const [archive] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  checkIntegrity(join(folder, archive));
  const { status, stderr } = spawnSync("tar", ["xzf", archive], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${archive} could not be unpacked. tar said: ${stderr}`);
  rmSync(join(folder, archive));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** By npm itself, which knows the user's registry, proxy and keys; into a cache that shows how far it is. */
async function fetchArchive() {
  const cache = join(folder, "cache");
  const args = ["pack", spec, "--cache", cache, "--loglevel=error", "--ignore-scripts"];
  const shell = process.platform === "win32";
  const child = spawn("npm", args, { cwd: folder, shell, stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const progress = showProgress(() => sizeBelow(cache));
  const code = await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  progress.end();
  if (code !== 0) {
    throw new Error(`npm could not fetch ${spec}: check the network and the registry.\n${said}`);
  }
  rmSync(cache, { recursive: true, force: true });
}

function checkIntegrity(file) {
  if (integrity === undefined) return;
  const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (found === integrity) return;
  throw new Error(`${spec} is not what this clone expects: it has ${found}, not ${integrity}.`);
}

function showProgress(sizeNow) {
  const { isTTY } = process.stderr;
  let linesSaid = 0;
  const timer = setInterval(() => {
    const done = Math.min(sizeNow() / BYTES_PER_MEGABYTE, Number(megabytes));
    const line = `  ${done.toFixed(0)} of ${megabytes} MB`;
    if (isTTY) process.stderr.write(`\r${line}`);
    else if (done >= (Number(megabytes) * (linesSaid + 1)) / LINES_OF_A_LOG) {
      linesSaid = Math.floor((done * LINES_OF_A_LOG) / Number(megabytes));
      process.stderr.write(`${line}\n`);
    }
  }, LOOK_EVERY_MS);
  const end = () => {
    clearInterval(timer);
    if (isTTY) process.stderr.write(`\r  ${megabytes} of ${megabytes} MB\n`);
  };
  return { end };
}

/** The bytes of a folder's files; npm moves them while it is being read. */
function sizeBelow(place) {
  if (!existsSync(place)) return 0;
  return readdirSync(place, { recursive: true }).reduce(
    (sum, name) =>
      sum + (statSync(join(place, String(name)), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
