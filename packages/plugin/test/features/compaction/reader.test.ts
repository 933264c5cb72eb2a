import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import {
  defaultReadBounds,
  type ReadBounds,
  WorkspaceReader,
} from "../../../src/features/compaction/reader.ts";
import { builtInWorkflows } from "../../../src/features/compaction/workflows.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { buildBrief, type Files, field, writeFiles } from "./workspace.ts";
import { refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();

const surveyed = (directory: string, bounds: Partial<ReadBounds> = {}) =>
  new WorkspaceReader(directory, { ...defaultReadBounds, ...bounds }, Date.now).survey(
    builtInWorkflows,
  );

const specs = (...names: readonly string[]): Files =>
  Object.fromEntries(names.map((name) => [`.codex/specs/${name}/design.md`, "# D\n"]));

describe("which folders it looks at", () => {
  const names = async (files: Files, bounds: Partial<ReadBounds> = {}) => {
    const directory = writeFiles(folder(), files);
    const { folders } = await surveyed(directory, bounds);
    return folders.map(({ name }) => name);
  };

  test("all that have an artifact, however many there are", async () => {
    const many = Array.from({ length: 70 }, (_, index) => `s${100 + index}`);
    expect(await names({ ...specs(...many), ".codex/specs/empty/notes.txt": "" })).toEqual(many);
  });

  test("of too many those that SESSION.md names, and then the last ones", async () => {
    const all = specs("a1", "b2", "c3", "d4");
    const two = { folders: 2 };
    expect(await names(all, two)).toEqual(["c3", "d4"]);
    expect(await names({ ...all, "SESSION.md": "On a1.\n" }, two)).toEqual(["a1", "d4"]);
    expect(await names({ ...all, "SESSION.md": "a1, b2, c3\n" }, two)).toEqual(["b2", "c3"]);
    expect(await names({ ...all, "SESSION.md": "On a1.\n" }, { folders: 4 })).toHaveLength(4);
  });

  test("of a folder the artifacts that it was seen to have", async () => {
    const [workflow] = builtInWorkflows;
    if (!workflow) throw new Error("a workflow");
    const files = { ".codex/specs/a/design.md": "# D\n", ".codex/specs/a/tasks.md": "# T\n" };
    const directory = writeFiles(folder(), files);
    const reader = new WorkspaceReader(directory, defaultReadBounds, Date.now);
    await reader.survey(builtInWorkflows);
    const seen = { workflow, name: "a", files: [{ file: "tasks.md", changedAtMs: 0 }] };
    const states = await reader.readArtifacts(seen);
    expect(states.map(({ artifact }) => artifact.file)).toEqual(["tasks.md"]);
  });
});

describe("what it reads of a file", () => {
  const session = async (text: string, bytesPerFile: number) => {
    const directory = writeFiles(folder(), { "SESSION.md": text });
    return (await surveyed(directory, { bytesPerFile })).session;
  };

  test("all of it up to the limit, and of a larger one whole lines of its two ends", async () => {
    const text = Array.from({ length: 10 }, (_, line) => `line ${line}\n`).join("");
    expect(await session(text, 70)).toBe(text);
    expect(await session(text, 69)).toBe(text.slice(0, 28) + text.slice(42));
    expect(await session(text, 40)).toBe(text.slice(0, 14) + text.slice(56));
  });

  test("nothing of what is no file: a folder, a socket; and what was opened is closed", async () => {
    const directory = writeFiles(folder(), { "AGENTS.md": "# A\n", "SESSION.md/x": "" });
    expect(await surveyed(directory)).toMatchObject({ session: "", agents: "# A\n" });
    rmSync(join(directory, "SESSION.md"), { recursive: true });
    const unix = join(directory, "SESSION.md");
    const server = Bun.listen({ unix, socket: { data: () => undefined } });
    expect(await surveyed(directory)).toMatchObject({ session: "", agents: "# A\n" });
    server.stop(true);
    if (!existsSync("/proc/self/fd")) return;
    const open = readdirSync("/proc/self/fd").map((fd) => {
      try {
        return readlinkSync(join("/proc/self/fd", fd));
      } catch {
        // The listing's own, which is closed by now.
        return "";
      }
    });
    expect(open.filter((path) => path.startsWith(directory))).toEqual([]);
  });
});

describe("where it reads", () => {
  test("the nearest folder that has anything, up to the project's root", async () => {
    const root = writeFiles(folder(), { ...specExecute, ".git/HEAD": "" });
    const directory = join(root, "packages/one");
    mkdirSync(directory, { recursive: true });
    const brief = await buildBrief(directory);
    expect(field(brief, "Current Artifact")).toEqual([
      "../../.codex/specs/001-prd-compaction/tasks.md",
    ]);
  });

  test("never above the directory where there is no project", async () => {
    const above = writeFiles(folder(), refactor);
    const directory = join(above, "inner");
    mkdirSync(directory);
    const brief = await buildBrief(directory);
    expect(field(brief, "Status")).toEqual(["none recorded"]);
  });

  test("within its bounds: no more files, folders or time than allowed", async () => {
    const directory = writeFiles(folder(), specExecute);
    const stageWith = async (bounds: Partial<typeof defaultReadBounds>) => {
      const brief = await buildBrief(directory, { bounds: { ...defaultReadBounds, ...bounds } });
      return field(brief, "Source Artifacts")?.length ?? 0;
    };
    expect(await stageWith({})).toBe(4);
    expect(await stageWith({ files: 4 })).toBe(2);
    expect(await stageWith({ folders: 0 })).toBe(0);
    expect(await stageWith({ timeoutMs: 0 })).toBe(0);
  });

  test("never above the project's root, which has nothing for us", async () => {
    const above = writeFiles(folder(), refactor);
    const directory = join(above, "project/inner");
    mkdirSync(directory, { recursive: true });
    mkdirSync(join(above, "project/.git"));
    expect(await surveyed(directory)).toEqual({ prefix: "", session: "", agents: "", folders: [] });
    writeFiles(join(above, "project"), { "SESSION.md": "Now: x\n" });
    expect(await surveyed(directory)).toMatchObject({ prefix: "../", session: "Now: x\n" });
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
    const { text, outside: refused } = await buildBrief(directory);
    expect(text).not.toContain("SECRET");
    expect(refused.map((path) => path.slice(directory.length + 1)).toSorted()).toEqual([
      ".codex/bugs",
      ".codex/specs/002-b/tasks.md",
      "AGENTS.md",
      "SESSION.md",
    ]);
    expect((await buildBrief(writeFiles(folder(), specExecute))).outside).toEqual([]);
  });
});
