import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readBounds } from "../../src/continuity/reader.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";
import { briefOf, field, writeFiles } from "./workspace.ts";
import { refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();

describe("where it reads", () => {
  test("the nearest folder that has anything, up to the project's root", async () => {
    const worktree = writeFiles(folder(), specExecute);
    const directory = join(worktree, "packages/one");
    mkdirSync(directory, { recursive: true });
    const brief = await briefOf(directory, { place: { directory, worktree } });
    expect(field(brief, "Current Artifact")).toEqual([
      "../../.codex/specs/001-prd-compaction/tasks.md",
    ]);
  });

  test("never above the directory where there is no project", async () => {
    const above = writeFiles(folder(), refactor);
    const directory = join(above, "inner");
    mkdirSync(directory);
    const brief = await briefOf(directory, { place: { directory, worktree: "/" } });
    expect(field(brief, "Status")).toEqual(["none recorded"]);
  });

  test("within its bounds: no more files, folders or time than allowed", async () => {
    const directory = writeFiles(folder(), specExecute);
    const stageWith = async (bounds: Partial<typeof readBounds>) => {
      const brief = await briefOf(directory, { bounds: { ...readBounds, ...bounds } });
      return field(brief, "Source Artifacts")?.length ?? 0;
    };
    expect(await stageWith({})).toBe(4);
    expect(await stageWith({ files: 4 })).toBe(2);
    expect(await stageWith({ folders: 0 })).toBe(0);
    expect(await stageWith({ timeoutMs: 0 })).toBe(0);
  });
});
