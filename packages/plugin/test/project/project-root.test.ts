import { describe, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { buildGitEnvironment } from "../../src/project/ask-git.ts";
import { findProject, findProjectPlace } from "../../src/project/find-project.ts";
import { toFolderId } from "../../src/project/project.ts";
import { buildBrief } from "../features/compaction/workspace.ts";
import { follow } from "../features/custom-sources/follow.ts";
import { write } from "../sources/host-layouts.ts";
import { scratchFolders } from "../sources/scratch-folder.ts";

const folder = scratchFolders();
const NOWHERE = "/nobody/home";
const nobody = { knownAt: () => null, readRemotes: () => [], readWorktree: () => null };

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync("git", [...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim();

/** A user's home with a secret, and in it an unpacked repository that calls the home its worktree. */
function hostile() {
  const home = folder();
  const repository = join(home, "src/deep/repository");
  write(home, {
    ".ssh/id_rsa": "SECRET",
    ".codex/specs/001-a/requirements.md": "# SECRET\n",
    ".codex/specs/001-a/tasks.md": "- [ ] SECRET\n",
    "SESSION.md": "Now: SECRET\n",
  });
  write(repository, { "README.md": "mine" });
  git(repository, "init", "-q");
  git(repository, "config", "core.worktree", "../../../..");
  symlinkSync(join(home, ".ssh/id_rsa"), join(repository, "notes.txt"));
  expect(git(repository, "rev-parse", "--show-toplevel")).toBe(home);
  return { home, repository };
}

describe("core.worktree does not open the home", () => {
  test("a source of the project's own settings", async () => {
    const { repository } = hostile();
    const paths = ["notes.txt", "../../../.ssh/id_rsa"];
    for (const path of paths) {
      const entries = { "team/own": { file: path } };

      const settings = { directory: repository, env: {}, boundaryMs: 1000 };
      const session = follow(entries, { ...settings, projectKeys: ["team/own"] });
      expect(await session.boundary()).toBeNull();
      expect(session.refused()).not.toEqual([]);
    }
  });

  test("the brief", async () => {
    const { repository } = hostile();
    const { text } = await buildBrief(repository);
    expect(text).not.toContain("SECRET");
  });

  test("the project's key, and so its memories", async () => {
    const { repository, home } = hostile();
    const project = await findProject(repository, nobody);
    expect(project).toMatchObject({ id: toFolderId(repository), worktree: repository });
    expect(project.id).not.toBe(toFolderId(home));
  });

  test("the root that key files and reminders go by", () => {
    const { repository } = hostile();
    expect(findProjectPlace(repository).root).toBe(repository);
  });
});

test("the root is the nearest folder with a .git below the home, wherever repositories and the home lie", () => {
  const depths = fc.record({
    repositories: fc.subarray([0, 1, 2, 3, 4, 5]),
    home: fc.integer({ min: -1, max: 5 }),
  });
  fc.assert(
    fc.property(depths, ({ repositories, home }) => {
      const top = folder();
      const path = (depth: number) => join(top, ...Array.from({ length: depth }, () => "in"));
      mkdirSync(path(5), { recursive: true });
      for (const depth of repositories) mkdirSync(join(path(depth), ".git"));
      const nearest = Math.max(-1, ...repositories.filter((depth) => depth > home));
      const expected = nearest === -1 ? path(5) : path(nearest);
      const place = findProjectPlace(path(5), home === -1 ? NOWHERE : path(home));
      expect(place).toEqual({ directory: path(5), root: expected, isRepository: nearest !== -1 });
    }),
    { numRuns: 60 },
  );
});

test("links are resolved: a linked directory, a linked home, and a worktree's .git that is a file", () => {
  const real = folder();
  mkdirSync(join(real, "repository/deep"), { recursive: true });
  writeFileSync(join(real, "repository/.git"), "gitdir: /elsewhere\n");
  const links = folder();
  symlinkSync(join(real, "repository/deep"), join(links, "work"));
  symlinkSync(join(real, "repository"), join(links, "home"));
  const directory = join(real, "repository/deep");
  expect(findProjectPlace(join(links, "work"), NOWHERE)).toMatchObject({
    ...{ directory, root: dirname(directory) },
  });
  expect(findProjectPlace(join(links, "work"), join(links, "home")).root).toBe(directory);
});

test("a folder that is gone is its own root", () => {
  const gone = join(folder(), "gone");
  expect(findProjectPlace(gone, NOWHERE)).toMatchObject({ directory: gone, root: gone });
});

test("git takes no folder for a part of a repository that holds the whole home", () => {
  const home = folder();
  const work = join(home, "work");
  mkdirSync(work);
  git(home, "init", "-q");
  const asked = (user: string) => {
    const options = {
      cwd: work,
      env: buildGitEnvironment(process.env, user),
      encoding: "utf8",
    } as const;
    return spawnSync("git", ["rev-parse", "--git-dir"], options).stdout.trim();
  };
  expect(asked(NOWHERE)).toBe(join(home, ".git"));
  expect(asked(home)).toBe("");
});
