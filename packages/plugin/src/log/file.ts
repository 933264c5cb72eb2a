// An append-only file, rotated by size and age.
import type { Stats } from "node:fs";
import { appendFile, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Appends to a file; once the file is full or old, moves it to `.1`, and the former `.1` to `.2`. */
interface RotatingFile {
  append(text: string): Promise<void>;
}

export interface RotationLimits {
  readonly bytes: number;
  /** Limits how long a line is kept, in milliseconds. */
  readonly ageMs: number;
}

/**
 * Sets a file's time span. A file covers a third of the age and is deleted when its newest line is two thirds
 * old, so no line outlives the age, although whole files are deleted.
 */
const FILE_SPAN_SHARE = 1 / 3;
const FILE_AGE_SHARE = 2 / 3;

/** Sets how often the files' age is checked. */
const AGE_CHECK_INTERVAL_MS = 3_600_000;

/** Matches `{"at":"` and the 24 characters of an ISO time, at the start of each line. */
const FIRST_TIME_PATTERN = /^\{"at":"([^"]{24})"/;

class NotAFileError extends Error {
  readonly code = "not_a_file";
  constructor(path: string) {
    super(`${path} is not a regular file.`);
    this.name = "NotAFileError";
  }
}

/** Opens the file. @throws (append) the file system's error, or NotAFileError. */
export function openRotatingFile(
  path: string,
  limits: RotationLimits,
  now: () => number,
): RotatingFile {
  let checkedAtMs = Number.NEGATIVE_INFINITY;
  /** A clock that was set back must not stop the checks. */
  const isDue = (nowMs: number) => Math.abs(nowMs - checkedAtMs) >= AGE_CHECK_INTERVAL_MS;
  return {
    async append(text) {
      const nowMs = now();
      const size = await readFileSize(path);
      if (size > 0 && size + Buffer.byteLength(text) > limits.bytes) await rotate(path);
      else if (size > 0 && isDue(nowMs) && (await isOld(path, limits, nowMs))) await rotate(path);
      if (isDue(nowMs)) await removeOld(path, limits, nowMs);
      checkedAtMs = isDue(nowMs) ? nowMs : checkedAtMs;
      if (size === 0) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendFile(path, text, { mode: 0o600 });
    },
  };
}

/** Rotates the files. If another process has just done so, there is less to move, which is not an error. */
async function rotate(path: string): Promise<void> {
  await moveIfExists(`${path}.1`, `${path}.2`);
  await moveIfExists(path, `${path}.1`);
}

/** Says whether the first line is older than a file may cover; an unreadable line counts as recent. */
async function isOld(path: string, limits: RotationLimits, nowMs: number): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const first = FIRST_TIME_PATTERN.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
    return first !== undefined && nowMs - Date.parse(first) > limits.ageMs * FILE_SPAN_SHARE;
  } finally {
    await file.close();
  }
}

async function removeOld(path: string, limits: RotationLimits, nowMs: number): Promise<void> {
  for (const old of [`${path}.1`, `${path}.2`]) {
    const status = await tryStat(old);
    if (!status?.isFile() || nowMs - status.mtimeMs <= limits.ageMs * FILE_AGE_SHARE) continue;
    await rm(old, { force: true });
  }
}

async function moveIfExists(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isNotFoundError(error)) throw error;
  }
}

async function readFileSize(path: string): Promise<number> {
  const status = await tryStat(path);
  // Appending to a pipe without a reader would block for ever.
  if (status && !status.isFile()) throw new NotAFileError(path);
  return status?.size ?? 0;
}

async function tryStat(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (isNotFoundError(error)) return null;
    throw error;
  }
}

function isNotFoundError(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
