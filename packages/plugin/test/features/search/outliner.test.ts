import { afterAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Grammars } from "../../../src/features/search/grammars.ts";
import { Outliner } from "../../../src/features/search/outliner.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-outliner-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let root: string;
let failures: unknown[];
let outliner: Outliner;

beforeEach(() => {
  root = mkdtempSync(join(base, "project-"));
  failures = [];
  outliner = outlinerWith(new Grammars());
});

function outlinerWith(grammars: Pick<Grammars, "outline">): Outliner {
  return new Outliner({
    ...{ directory: root, root, grammars: grammars as Grammars },
    failed: (error) => failures.push(error),
  });
}

function write(path: string, text: string): void {
  writeFileSync(join(root, path), text);
}

const outlineLines = async (path: string) => (await outliner.outline(path))?.lines;

test("nothing outside the root is looked at, no folder, no instructions, and nothing too large", async () => {
  writeFileSync(join(root, "../outside.ts"), "export const A = 1;\n");
  mkdirSync(join(root, "folder.ts"));
  write("AGENTS.md", "# Rules\n");
  const most = "x".repeat(399_998);
  write("most.md", `#${most}\n`);
  write("more.md", `#${most}x\n`);
  const stamps = ["../outside.ts", "folder.ts", "gone.ts", "AGENTS.md", "more.md"].map((path) =>
    outliner.readStamp(path),
  );
  expect(stamps).toEqual([null, null, null, null, null]);
  expect(outliner.readStamp("most.md")).toStartWith("400000 ");
  expect(await outliner.outline("more.md")).toBeNull();
});

test("a file of data has no outline, whatever it is called", async () => {
  write("a.ts", "export const A = 1;\0\n");
  expect(await outliner.outline("a.ts")).toBeNull();
  expect(failures).toEqual([]);
});

test("a long outline is cut after 120 lines, and holds no secret", async () => {
  const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
  const functions = Array.from({ length: 130 }, (_, at) => `export function f${at}() {}`);
  write("a.ts", [`export function g(key = "${token}") {}`, ...functions].join("\n"));
  const lines = await outlineLines("a.ts");
  expect(lines).toHaveLength(120);
  expect(lines?.[0]).toBe('export function g(key = "[secret]")');
});

test("a document is outlined by its headings, however its ending is written", async () => {
  for (const path of ["a.md", "B.MD", "c.Markdown"]) {
    write(path, "# One\n\nconst x = 1;\n");
    expect(await outlineLines(path)).toEqual(["# One"]);
  }
  write("d.zig", "# One\n\nconst x = 1;\n");
  expect(await outlineLines("d.zig")).toEqual(["const x = 1;"]);
});

test("a file that has not moved is not read again; one that has is", async () => {
  write("a.ts", "export class A {}\n");
  const first = await outliner.outline("a.ts");
  expect(first?.lines).toEqual(["export class A"]);
  expect(await outliner.outline("a.ts")).toBe(first);
  write("a.ts", "export class Longer {}\n");
  expect(await outlineLines("a.ts")).toEqual(["export class Longer"]);
});

test("without its grammar it is read off its lines, and the fault reported; one that can't be read is none", async () => {
  const fault = new Error("no grammar");
  outliner = outlinerWith({ outline: () => Promise.reject(fault) });
  write("a.ts", "export class A {\n  run() {}\n}\n");
  expect(await outlineLines("a.ts")).toEqual(["export class A"]);
  expect(failures).toEqual([fault]);
  expect(await outliner.outline("a\0.ts")).toBeNull();
  expect(failures).toHaveLength(2);
});
