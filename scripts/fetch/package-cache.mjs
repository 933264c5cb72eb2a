// Programs that a clone needs and `npm install` leaves out: fetched once into a cache of the user's.
// Folder: What is fetched from the registry when it is needed: OpenCode, a newer Bun.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** What a home's connection brings in a second, in megabytes. */
const MEGABYTES_PER_SECOND = 5;
/** Where this clone notes what it has found: a test's command may have a home, and so a cache, of its own. */
const NOTES = fileURLToPath(new URL("../../node_modules/.cache/session-runtime/", import.meta.url));

/** The folder of programs, outside of every clone. */
export function programsFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "session-runtime/programs");
}

/**
 * A file of a package, whose path begins in the package. It is fetched if it is not there; `title` is its
 * name for people, `megabytes` what is fetched of it, and `integrity` npm's digest of it, where it is known.
 */
export function fetchedFile({ name, version, file, title, megabytes, integrity }) {
  const label = `${name.replace("/", "-")}-${version}`;
  const noted = join(NOTES, label);
  if (existsSync(noted)) {
    const path = join(readFileSync(noted, "utf8"), file);
    if (existsSync(path)) return path;
  }
  const folder = join(programsFolder(), label);
  const path = join(folder, file);
  if (!existsSync(path)) {
    const seconds = Math.ceil(megabytes / MEGABYTES_PER_SECOND);
    console.error(
      `Fetching ${title} ${version} (${megabytes} MB, once; about ${seconds} s at ${MEGABYTES_PER_SECOND} MB a second) …`,
    );
    fetchInto(folder, { spec: `${name}@${version}`, megabytes, integrity });
  }
  if (!existsSync(path)) {
    throw new Error(`${name}@${version} has no ${file}: remove ${folder} and try again.`);
  }
  mkdirSync(NOTES, { recursive: true });
  writeFileSync(noted, folder);
  return path;
}

function fetchInto(folder, { spec, megabytes, integrity }) {
  // Beside others that fetch it at the same time, the first one's stays.
  const own = `${folder}.${process.pid}`;
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  try {
    const script = join(import.meta.dirname, "fetch-package.mjs");
    const args = [script, spec, own, String(megabytes), ...(integrity ? [integrity] : [])];
    const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", 2, 2] });
    if (status !== 0) throw new Error(`${spec} could not be fetched; the reason stands above.`);
    mkdirSync(dirname(folder), { recursive: true });
    place(join(own, "package"), folder);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

function place(unpacked, folder) {
  try {
    renameSync(unpacked, folder);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code) || !existsSync(folder)) throw error;
  }
}
