// Reads the end of the runtime's own log.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { systemReason } from "../../system-error.ts";

const LINES = 200;
const BYTES = 262_144;

/** Returns the log's last lines; none where there is no log. */
export function lastLogLines(path: string): readonly string[] {
  try {
    const file = openSync(path, "r");
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, BYTES));
      readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes.toString("utf8").trimEnd().split("\n").slice(-LINES);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemReason(error) === null) throw error;
    return [];
  }
}
