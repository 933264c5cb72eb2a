import { appendFile, mkdir, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A file that is appended to and, when full, moved to `.1`, and that one to `.2`. */
export interface RotatingFile {
  append(text: string): Promise<void>;
}

export class NotAFileError extends Error {
  readonly code = "not_a_file";
  constructor(path: string) {
    super(`${path} is not a regular file.`);
    this.name = "NotAFileError";
  }
}

/** @throws (append) the file system's error, or NotAFileError. */
export function rotatingFile(path: string, limitBytes: number): RotatingFile {
  return {
    async append(text) {
      const size = await sizeOf(path);
      if (size > 0 && size + Buffer.byteLength(text) > limitBytes) await rotate(path);
      if (size === 0) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await appendFile(path, text, { mode: 0o600 });
    },
  };
}

/** Another process may have rotated meanwhile: then there is less to move, and nothing is wrong. */
async function rotate(path: string): Promise<void> {
  await moveIfThere(`${path}.1`, `${path}.2`);
  await moveIfThere(path, `${path}.1`);
}

async function moveIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    const status = await stat(path);
    // Appending to a pipe without a reader would wait for ever.
    if (!status.isFile()) throw new NotAFileError(path);
    return status.size;
  } catch (error) {
    if (isAbsence(error)) return 0;
    throw error;
  }
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
