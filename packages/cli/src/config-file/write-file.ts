// Writes all of a file or nothing.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * Writes all of a file or nothing, by a temporary file that then replaces it. `target` must be the file
 * itself, not a link to it; a link would be replaced by a file.
 */
export function writeWhole(target: string, text: string, mode: number): void {
  mkdirSync(dirname(target), { recursive: true });
  const fresh = join(dirname(target), `.${basename(target)}.session-runtime-${process.pid}`);
  try {
    const file = openSync(fresh, "wx", mode);
    try {
      const bytes = Buffer.from(text, "utf8");
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    // The process's umask may have removed bits.
    chmodSync(fresh, mode);
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
