import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeadWatch } from "../../../src/features/search/commit-log.ts";

const root = mkdtempSync(join(tmpdir(), "session-runtime-head-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const path = process.env.PATH ?? "";
const log = join(root, "asked");
const bin = join(root, "bin");
mkdirSync(bin);
const real = Bun.which("git");
writeFileSync(join(bin, "git"), `#!/bin/sh\necho asked >>'${log}'\nexec '${real}' "$@"\n`, {
  mode: 0o755,
});

beforeEach(() => {
  process.env.PATH = `${bin}:${path}`;
});
afterEach(() => {
  process.env.PATH = path;
});

/** Whether git was started by the work. */
async function asks(work: () => Promise<unknown>): Promise<boolean> {
  rmSync(log, { force: true });
  await work();
  return existsSync(log);
}

let made = 0;
const ME = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
const git = (cwd: string, ...words: readonly string[]) =>
  execFileSync(real ?? "git", [...ME, ...words], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
const commit = (cwd: string) => git(cwd, "commit", "-q", "--allow-empty", "-m", "More");

function repository(): string {
  made += 1;
  const folder = join(root, `repository-${made}`);
  git(root, "init", "-qb", "main", folder);
  commit(folder);
  return folder;
}

/** As if nothing had been written for a while. */
function age(folder: string): void {
  const files = ["HEAD", "packed-refs", "shallow", "refs/heads/main", "refs/heads/side"];
  for (const file of files.map((name) => join(folder, ".git", name))) {
    if (existsSync(file)) utimesSync(file, 1_000, 1_000);
  }
}

const resolveHead = (folder: string) => git(folder, "rev-parse", "HEAD");

test("git is asked once while nothing changes, and again after each move of HEAD", async () => {
  const folder = repository();
  age(folder);
  const watch = new HeadWatch(folder, Date.now);
  const moves: readonly (readonly [string, () => void])[] = [
    ["at first", () => undefined],
    ["a commit", () => void commit(folder)],
    ["packed branches", () => void git(folder, "pack-refs", "--all")],
    ["a commit over packed ones", () => void commit(folder)],
    ["another branch", () => void git(folder, "checkout", "-qb", "side")],
    ["no branch", () => void git(folder, "checkout", "-q", "--detach", "main")],
    ["a commit on none", () => void commit(folder)],
  ];
  for (const [what, move] of moves) {
    move();
    age(folder);
    expect([what, await asks(() => watch.readHead())]).toEqual([what, true]);
    const head = { commit: resolveHead(folder), cut: null };
    const seen: unknown[] = [];
    expect([what, await asks(async () => seen.push(await watch.readHead()))]).toEqual([
      what,
      false,
    ]);
    expect(seen).toEqual([head]);
  }
});

test("a worktree of its own has a HEAD of its own", async () => {
  const folder = repository();
  const aside = `${folder}-aside`;
  git(folder, "worktree", "add", "-q", "--detach", aside);
  const name = readFileSync(join(aside, ".git"), "utf8").trim().split("/").at(-1) ?? "";
  const own = join(folder, ".git/worktrees", name, "HEAD");
  const calm = () => {
    age(folder);
    utimesSync(own, 1_000, 1_000);
  };
  const watch = new HeadWatch(aside, Date.now);
  calm();
  await watch.readHead();
  expect(await asks(() => watch.readHead())).toBe(false);
  commit(aside);
  calm();
  expect((await watch.readHead())?.commit).toBe(resolveHead(aside));
  expect(resolveHead(aside)).not.toBe(resolveHead(folder));
});

test("what was just written is not relied on: it may be written again in the same moment", async () => {
  const folder = repository();
  const watch = new HeadWatch(folder, Date.now);
  await watch.readHead();
  expect(await asks(() => watch.readHead())).toBe(true);
});

test("where branches are kept in another way, or HEAD is none of them, git is always asked", async () => {
  const [tables, other] = [repository(), repository()];
  mkdirSync(join(tables, ".git/reftable"));
  git(other, "update-ref", "refs/other/main", "HEAD");
  writeFileSync(join(other, ".git/HEAD"), "ref: refs/other/main\n");
  for (const folder of [tables, other]) {
    age(folder);
    const watch = new HeadWatch(folder, Date.now);
    expect((await watch.readHead())?.commit).toBe(resolveHead(folder));
    expect(await asks(() => watch.readHead())).toBe(true);
  }
});

test("without a repository or a commit there is none", async () => {
  const empty = join(root, "empty");
  git(root, "init", "-q", empty);
  for (const folder of [empty, bin])
    expect(await new HeadWatch(folder, Date.now).readHead()).toBeNull();
});

test("where a shallow clone ends is known, and changes with what is fetched", async () => {
  const origin = repository();
  for (let at = 0; at < 3; at += 1) commit(origin);
  const folder = `${origin}-shallow`;
  git(root, "clone", "-q", "--depth", "1", `file://${origin}`, folder);
  const watch = new HeadWatch(folder, Date.now);
  const cuts: (string | null)[] = [];
  for (const more of [null, "--deepen=1", "--unshallow"]) {
    if (more !== null) git(folder, "fetch", "-q", more);
    age(folder);
    cuts.push((await watch.readHead())?.cut ?? null);
    expect(await asks(() => watch.readHead())).toBe(false);
  }
  expect(cuts).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), expect.any(String), null]);
  expect(cuts[0]).not.toBe(cuts[1]);
});

test("a folder in the place of where it ends says nothing", async () => {
  const folder = repository();
  mkdirSync(join(folder, ".git/shallow"));
  const commit = resolveHead(folder);
  expect(await new HeadWatch(folder, Date.now).readHead()).toEqual({ commit, cut: null });
});
