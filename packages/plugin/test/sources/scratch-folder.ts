import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Makes new empty folders that are gone after the tests of the calling file. */
export function scratchFolders(): () => string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-scratch-")));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  let made = 0;
  return () => {
    made += 1;
    const folder = join(root, String(made));
    mkdirSync(folder);
    return folder;
  };
}
