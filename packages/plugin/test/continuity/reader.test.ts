import { describe, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
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

  test("nothing that a link leads out to: notes, artifacts, folders of work; what was refused is named", async () => {
    const outside = writeFiles(folder(), {
      ...refactor,
      ".codex/specs/001-a/requirements.md": "# SECRET\n",
      "tasks.md": "- [ ] SECRET\n",
    });
    const directory = writeFiles(folder(), {
      ".codex/specs/002-b/requirements.md": "# Requirements\n",
    });
    symlinkSync(join(outside, "SESSION.md"), join(directory, "SESSION.md"));
    symlinkSync("/proc/self/environ", join(directory, "AGENTS.md"));
    symlinkSync(join(outside, "tasks.md"), join(directory, ".codex/specs/002-b/tasks.md"));
    symlinkSync(outside, join(directory, ".codex/bugs"));
    const { text, outside: refused } = await briefOf(directory);
    expect(text).not.toContain("SECRET");
    expect(refused.map((path) => path.slice(directory.length + 1)).toSorted()).toEqual([
      ".codex/bugs",
      ".codex/specs/002-b/tasks.md",
      "AGENTS.md",
      "SESSION.md",
    ]);
    expect((await briefOf(writeFiles(folder(), specExecute))).outside).toEqual([]);
  });
});
