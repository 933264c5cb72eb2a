import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readBounds } from "../../src/continuity/reader.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";
import { briefOf, type Files, fastestMs, field, writeFiles } from "./workspace.ts";
import { bugFix, refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();

describe("speed", () => {
  test("an ordinary workspace takes less than 30 ms", async () => {
    for (const files of [refactor, specExecute, bugFix]) {
      const directory = writeFiles(folder(), files);
      expect(await fastestMs(() => briefOf(directory), 9)).toBeLessThan(30);
    }
  });

  test("one with 500 artifact folders takes less than 200 ms", async () => {
    const files = Array.from({ length: 500 }, (_, index): Files => {
      const kind = index % 2 === 0 ? "specs" : "bugs";
      const base = `.codex/${kind}/${String(index).padStart(3, "0")}-work`;
      return kind === "specs"
        ? {
            [`${base}/requirements.md`]: "# Requirements\n",
            [`${base}/design.md`]: "# Design\n",
            [`${base}/tasks.md`]: "- [x] one\n- [ ] two\n",
            [`${base}/context.md`]: "# Context\n",
          }
        : { [`${base}/report.md`]: "# Report\n", [`${base}/analysis.md`]: "# Analysis\n" };
    });
    const directory = writeFiles(folder(), Object.assign({}, refactor, ...files));
    expect(await fastestMs(() => briefOf(directory), 7)).toBeLessThan(200);
    expect((await briefOf(directory)).brief.workflow).not.toBeNull();
  });
});

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
