import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRotatingFile } from "../../src/log/file.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.now();
const limits = { bytes: 1_048_576, ageMs: 9 * DAY_MS };

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "session-runtime-age-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const logPath = () => join(root, "runtime.log");
const line = (atMs: number) => `{"at":"${new Date(atMs).toISOString()}","level":"info"}\n`;

/** Writes a file as if its last line were so many days old. */
async function old(name: string, text: string, days: number): Promise<void> {
  await writeFile(join(root, name), text);
  const at = new Date(NOW_MS - days * DAY_MS);
  await utimes(join(root, name), at, at);
}

test("a log whose first line is older than a third of the age is rotated", async () => {
  await writeFile(logPath(), line(NOW_MS - 4 * DAY_MS));
  await openRotatingFile(logPath(), limits, () => NOW_MS).append(line(NOW_MS));
  expect(await readFile(logPath(), "utf8")).toBe(line(NOW_MS));
  expect(await readFile(`${logPath()}.1`, "utf8")).toBe(line(NOW_MS - 4 * DAY_MS));
});

test("a younger one, and one whose time can't be read, is appended to", async () => {
  for (const first of [line(NOW_MS - 2 * DAY_MS), "no json\n"]) {
    await writeFile(logPath(), first);
    await openRotatingFile(logPath(), limits, () => NOW_MS).append(line(NOW_MS));
    expect(await readFile(logPath(), "utf8")).toBe(first + line(NOW_MS));
  }
});

test("old files go when their newest line is two thirds of the age old: no line outlives it", async () => {
  await old("runtime.log.1", "", 5.9);
  await old("runtime.log.2", "", 6.1);
  await openRotatingFile(logPath(), limits, () => NOW_MS).append(line(NOW_MS));
  expect((await readdir(root)).sort()).toEqual(["runtime.log", "runtime.log.1"]);
});

test("a line that is exactly as old as may be is kept", async () => {
  await old("runtime.log.1", "", 6);
  await writeFile(logPath(), line(NOW_MS - 3 * DAY_MS));
  await openRotatingFile(logPath(), limits, () => NOW_MS).append(line(NOW_MS));
  expect((await readdir(root)).sort()).toEqual(["runtime.log", "runtime.log.1"]);
  expect(await readFile(logPath(), "utf8")).toBe(line(NOW_MS - 3 * DAY_MS) + line(NOW_MS));
});

test("what can't be moved aside is an error, and nothing is appended", async () => {
  await writeFile(logPath(), line(NOW_MS - 4 * DAY_MS));
  await writeFile(`${logPath()}.1`, "");
  await mkdir(`${logPath()}.2`);
  const file = openRotatingFile(logPath(), limits, () => NOW_MS);
  await expect(file.append(line(NOW_MS))).rejects.toThrow("EISDIR");
  expect(await readFile(logPath(), "utf8")).toBe(line(NOW_MS - 4 * DAY_MS));
});

test("a folder in an old file's place is left alone", async () => {
  await mkdir(`${logPath()}.2`);
  const at = new Date(NOW_MS - 90 * DAY_MS);
  await utimes(`${logPath()}.2`, at, at);
  await openRotatingFile(logPath(), limits, () => NOW_MS).append(line(NOW_MS));
  expect((await readdir(root)).sort()).toEqual(["runtime.log", "runtime.log.2"]);
});

test("ages are looked at when an hour has passed, and not before", async () => {
  let nowMs = NOW_MS;
  const file = openRotatingFile(logPath(), limits, () => nowMs);
  await file.append(line(nowMs));
  await writeFile(logPath(), line(NOW_MS - 4 * DAY_MS));
  nowMs += 3_599_999;
  await file.append(line(nowMs));
  expect(await readdir(root)).toEqual(["runtime.log"]);
  nowMs += 1;
  await file.append(line(nowMs));
  expect((await readdir(root)).sort()).toEqual(["runtime.log", "runtime.log.1"]);
});

test("a long run looks at the ages each hour, and between only at the size", async () => {
  let nowMs = NOW_MS;
  const file = openRotatingFile(logPath(), limits, () => nowMs);
  await file.append(line(nowMs));
  nowMs += 3.5 * DAY_MS;
  await file.append(line(nowMs));
  expect(await readdir(root)).toHaveLength(2);
});

test("a clock that was set back does not stop the checks", async () => {
  let nowMs = NOW_MS + 400 * DAY_MS;
  const file = openRotatingFile(logPath(), limits, () => nowMs);
  await file.append(line(NOW_MS - 4 * DAY_MS));
  nowMs = NOW_MS;
  await file.append(line(nowMs));
  expect(await readdir(root)).toHaveLength(2);
});
