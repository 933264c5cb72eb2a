import { afterAll, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectOf } from "../../src/memory/identity.ts";
import { folderId } from "../../src/memory/ids.ts";
import type { ProjectId } from "../../src/memory/record.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-identity-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const nobody = async () => null;
let folders = 0;
let days = 0;

function folder(): string {
  folders += 1;
  const path = join(root, `folder-${folders}`);
  mkdirSync(path);
  return path;
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Me", "-c", "user.email=me@example.com"];
  // Each commit is a day younger than the one before: git lists by dates.
  days += 1;
  const date = new Date(Date.UTC(2025, 0, days)).toISOString();
  const env = { ...process.env, GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
  return execFileSync("git", [...who, ...args], {
    cwd,
    env,
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
}

function commit(cwd: string, name: string): void {
  writeFileSync(join(cwd, name), name);
  git(cwd, "add", name);
  git(cwd, "commit", "-qm", name);
}

function repository(): string {
  const path = folder();
  git(path, "init", "-qb", "main");
  commit(path, `first of ${path.slice(root.length + 1)}`);
  return path;
}

const idAt = async (path: string) => (await projectOf(path, nobody)).id;

test("Y8: a repository goes by its first commit: in subfolders, clones, worktrees, and where it is moved", async () => {
  const path = repository();
  const first = `commit:${git(path, "rev-parse", "HEAD")}` as ProjectId;
  commit(path, "second");
  mkdirSync(join(path, "deep"));
  expect(await projectOf(join(path, "deep"), nobody)).toEqual({
    ...{ id: first, name: path.slice(root.length + 1), worktree: path },
  });
  git(root, "clone", "-q", path, "clone");
  git(path, "worktree", "add", "-q", "../tree", "-b", "other");
  renameSync(path, `${path}-moved`);
  git(`${path}-moved`, "worktree", "repair", "../tree");
  for (const at of ["clone", "tree"]) expect(await idAt(join(root, at))).toBe(first);
  expect(await projectOf(`${path}-moved`, nobody)).toMatchObject({ id: first });
});

test("another history that is merged in changes nothing", async () => {
  const [path, other] = [repository(), repository()];
  const before = await idAt(path);
  git(path, "fetch", "-q", other, "main");
  git(path, "merge", "-q", "--allow-unrelated-histories", "-m", "merge", "FETCH_HEAD");
  expect(await idAt(path)).toBe(before);
});

test("without git, without a commit, and in a shallow clone, the folder it is", async () => {
  const plain = folder();
  expect(await projectOf(plain, nobody)).toMatchObject({ id: folderId(plain), worktree: plain });
  const empty = folder();
  git(empty, "init", "-q");
  expect(await idAt(empty)).toBe(folderId(empty));
  const path = repository();
  commit(path, "second");
  git(root, "clone", "-q", "--depth", "1", `file://${path}`, "shallow");
  expect(await idAt(join(root, "shallow"))).toBe(folderId(join(root, "shallow")));
});

test("what is known of a worktree counts as long as the commit is there", async () => {
  const path = repository();
  commit(path, "second");
  const second = git(path, "rev-parse", "HEAD");
  const known = (commitHash: string) => async () => `commit:${commitHash}` as ProjectId;
  expect((await projectOf(path, known(second))).id).toBe(`commit:${second}` as ProjectId);
  const gone = "0".repeat(40);
  expect((await projectOf(path, known(gone))).id).toBe(await idAt(path));
});

test("a folder that is gone is an error", () => {
  expect(projectOf(join(root, "gone"), nobody)).rejects.toThrow();
});

test("a repository that calls another project's folder its worktree gets none of that project's memories", async () => {
  const [other, path] = [folder(), folder()];
  git(path, "init", "-q");
  git(path, "config", "core.worktree", other);
  expect(git(path, "rev-parse", "--show-toplevel")).toBe(other);
  expect(await projectOf(path, nobody)).toEqual({
    ...{ id: folderId(path), name: path.slice(root.length + 1), worktree: path },
  });
  mkdirSync(join(path, "..odd"));
  git(path, "config", "core.worktree", path);
  expect((await projectOf(join(path, "..odd"), nobody)).worktree).toBe(path);
});
