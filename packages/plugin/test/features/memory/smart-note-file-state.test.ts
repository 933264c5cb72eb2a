import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileStates } from "../../../src/features/memory/smart-note-actions.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-states-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Written as if at that second. */
function write(name: string, text: string, seconds: number): string {
  const path = join(root, name);
  writeFileSync(path, text);
  utimesSync(path, seconds, seconds);
  return path;
}

test("a file is what it says, whenever it was written; one that is gone is null", () => {
  const states = new FileStates(root);
  const path = write("a.txt", "one", 1);
  const one = states.readState(path);
  write("a.txt", "two", 2);
  expect(states.readState(path)).not.toBe(one);
  write("a.txt", "one", 3);
  expect(states.readState(path)).toBe(one);
  rmSync(path);
  expect(states.readState(path)).toBeNull();
});

test("a large file and a folder go by size and time: they are not read", () => {
  const states = new FileStates(root);
  const most = write("most.txt", "x".repeat(1_000_000), 1);
  const state = states.readState(most);
  write("most.txt", "x".repeat(1_000_000), 2);
  expect(states.readState(most)).toBe(state);
  const large = write("large.txt", "x".repeat(1_000_001), 1);
  const before = states.readState(large);
  write("large.txt", "x".repeat(1_000_001), 2);
  expect(states.readState(large)).not.toBe(before);
  const folder = join(root, "folder");
  mkdirSync(folder);
  expect(states.readState(folder)).toMatch(/^\d+ \d+ \d+$/);
});

test("many files are told apart, also where more are looked at than are remembered", () => {
  const states = new FileStates(root);
  const paths = Array.from({ length: 450 }, (_, at) => write(`${at}.md`, String(at), 1));
  const first = paths.map((path) => states.readState(path));
  expect(new Set(first).size).toBe(450);
  expect(paths.map((path) => states.readState(path))).toEqual(first);
});
