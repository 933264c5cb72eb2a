import { afterAll, afterEach, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingTool, systemTool } from "../../../scripts/system-tools.mjs";

const path = process.env.PATH;
const folder = mkdtempSync(join(tmpdir(), "session-runtime-tools-"));

afterEach(() => {
  process.env.PATH = path;
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a tool that is not installed gives a reason that says how to get it", () => {
  process.env.PATH = folder;
  expect(systemTool("tmux")).toBeNull();
  expect(missingTool("tmux")).toBe(
    "needs tmux: node scripts/system-tools.mjs installs it or says how",
  );
});

test("a tool is the first program of its names on the path, and no file that can't be run", () => {
  process.env.PATH = `${folder}:${join(folder, "missing")}`;
  writeFileSync(join(folder, "chromium"), "");
  expect(systemTool("chromium")).toBeNull();
  writeFileSync(join(folder, "google-chrome"), "");
  chmodSync(join(folder, "google-chrome"), 0o755);
  expect(systemTool("chromium")).toBe(join(folder, "google-chrome"));
  expect(missingTool("chromium")).toBeNull();
});
