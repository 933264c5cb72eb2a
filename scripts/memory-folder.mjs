// A folder in memory for what tests make and throw away: on a disk, half of their time is waiting for it.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const MEMORY = "/dev/shm";
/** Short: screens of 90 columns show paths in it on one line. */
const NAME = "srt-";
/** All that the suites of a run have there at a time is less than a quarter of it. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

/** A folder of this process's, gone when it ends; null where there is no room for it. */
export function memoryFolder() {
  if (!existsSync(MEMORY)) return null;
  removeAbandoned();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH_BYTES) return null;
  const folder = join(MEMORY, `${NAME}${process.pid}`);
  // Of a killed run that had this process's number.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o755 });
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return runsPrograms(folder) ? folder : null;
}

/** Containers often mount it so that nothing in it can be run; tests put programs there. */
function runsPrograms(folder) {
  const program = join(folder, "program");
  writeFileSync(program, "#!/bin/sh\nexit 0\n", { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** What a run left that was killed. */
function removeAbandoned() {
  for (const name of readdirSync(MEMORY)) {
    if (!name.startsWith(NAME) || existsSync(`/proc/${name.slice(NAME.length)}`)) continue;
    rmSync(join(MEMORY, name), { recursive: true, force: true });
  }
}
