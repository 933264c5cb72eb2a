import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PINNED_OPENCODE } from "../../../scripts/fetch/opencode.mjs";
import {
  compareVersions,
  type HostResult,
  hostTable,
  writeBetweenMarks,
  writeTableRow,
} from "../../../scripts/host-table.mjs";

const ROOT = join(import.meta.dir, "../../..");

function readJson(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), "utf8"));
}

const results: readonly HostResult[] = readJson("packages/cli/src/host-versions.json").versions;
const engines: string = readJson("packages/plugin/package.json").engines.opencode;
const oldest = /^>=(\d+\.\d+\.\d+) /.exec(engines)?.[1] ?? "";

test("the table of host versions in docs/hosts.md is what the tests found", () => {
  const page = readFileSync(join(ROOT, "docs/hosts.md"), "utf8");
  expect(page).toContain(`<!-- host-versions -->\n${hostTable(results)}\n<!-- /host-versions -->`);
});

test("the pinned host is among the versions that were tried, and works", () => {
  expect(results.find(({ version }) => version === PINNED_OPENCODE)?.verdict).toBe("works");
});

test("engines.opencode begins at a version that works, and each one tried from there on works", () => {
  const inRange = results.filter(({ version }) => compareVersions(version, oldest) >= 0);
  expect(inRange.map(({ version }) => version)).toContain(oldest);
  expect(inRange.filter(({ verdict }) => verdict !== "works")).toEqual([]);
});

test("versions stand newest first, each once, with a verdict that its figures bear out", () => {
  const versions = results.map(({ version }) => version);
  expect(versions).toEqual(
    [...new Set(versions)].sort((one, other) => compareVersions(other, one)),
  );
  for (const { verdict, passed, failed, failing } of results) {
    expect(verdict).toBe(failed === 0 ? "works" : passed === 0 ? "fails" : "partly");
    expect(failing.length).toBeLessThanOrEqual(failed);
  }
});

test("versions are compared by number, not by letter", () => {
  expect(compareVersions("1.18.9", "1.18.33")).toBeLessThan(0);
  expect(compareVersions("2.0.0", "1.99.99")).toBeGreaterThan(0);
  expect(compareVersions("1.2.3", "1.2.3")).toBe(0);
});

test("only what stands between the marks is replaced, and a file without them is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-table-"));
  const file = join(folder, "page.md");
  try {
    writeFileSync(file, "before\n<!-- t -->\nold\n<!-- /t -->\nafter $&\n");
    writeBetweenMarks(file, "t", "new $1");
    expect(readFileSync(file, "utf8")).toBe("before\n<!-- t -->\nnew $1\n<!-- /t -->\nafter $&\n");
    expect(() => writeBetweenMarks(file, "other", "")).toThrow("no place marked");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a row of a table is found by its first cell, and a table without it is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-table-"));
  const file = join(folder, "page.md");
  try {
    writeFileSync(file, "| a | b |\n|---|---|\n| bill | 1 |\n| billed | 2 |\n");
    writeTableRow(file, "bill", ["3"]);
    expect(readFileSync(file, "utf8")).toBe("| a | b |\n|---|---|\n| bill | 3 |\n| billed | 2 |\n");
    expect(() => writeTableRow(file, "none", [])).toThrow("no row");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("HOST_VERSION names a version or the latest: anything else is refused with what it takes", () => {
  const { OPENCODE_BIN: _, ...env } = process.env;
  const { exitCode, stderr } = Bun.spawnSync(["node", join(ROOT, "scripts/bun.mjs"), "--version"], {
    env: { ...env, HOST_VERSION: "newest" },
  });
  expect(exitCode).not.toBe(0);
  expect(stderr.toString()).toContain('HOST_VERSION is "newest": give a version like 1.18.33');
});

test("PI_VERSION names a version or the latest: anything else is refused with what it takes", () => {
  const { exitCode, stderr } = Bun.spawnSync(["node", join(ROOT, "scripts/pi-install.mjs")], {
    env: { ...process.env, PI_VERSION: "newest" },
  });
  expect(exitCode).not.toBe(0);
  expect(stderr.toString()).toContain('PI_VERSION is "newest": give a version like');
});
