import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { findBun } from "../../src/database/bun-programs.ts";

const home = mkdtempSync(join(tmpdir(), "session-runtime-bun-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A folder with a program of OpenCode's name. */
function folderWith(name: string, make: (path: string) => void): string {
  const folder = join(home, name);
  mkdirSync(folder);
  make(join(folder, "opencode"));
  return folder;
}

function scripted(text: string) {
  return (path: string) => {
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
}

test("an OpenCode whose installation was not finished is passed over for one that runs", () => {
  const unfinished = folderWith(
    "unfinished",
    scripted('echo "postinstall was not run" >&2; exit 1\n'),
  );
  const foreign = folderWith("foreign", scripted("#!/bin/sh\nexit 1\n"));
  const real = folderWith("real", (path) => symlinkSync(hostBinary(), path));
  const env = { HOME: home, PATH: [unfinished, foreign, real].join(delimiter) };
  expect(findBun(env)).toBe(join(real, "opencode"));
});
