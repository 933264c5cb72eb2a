// What this process has open.
import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const LISTING = "/proc/self/fd";

export const canListOpenFiles = existsSync(LISTING);

/** Paths of the files that are open now. */
export function openFiles(): readonly string[] {
  return readdirSync(LISTING).map((fd) => {
    try {
      return readlinkSync(join(LISTING, fd));
    } catch {
      // The listing's own, which is closed by now.
      return "";
    }
  });
}
