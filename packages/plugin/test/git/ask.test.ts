import { afterAll, afterEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askGit, gitEnvironment } from "../../src/git/ask.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-git-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const before = process.env.GIT_DIR;
afterEach(() => {
  if (before === undefined) delete process.env.GIT_DIR;
  else process.env.GIT_DIR = before;
});

function repository(name: string): string {
  const path = join(root, name);
  mkdirSync(path);
  execFileSync("git", ["init", "-q", path], { stdio: "pipe" });
  return path;
}

test("git answers for the folder, whatever repository the process was started in", async () => {
  const [one, other] = [repository("one"), repository("other")];
  process.env.GIT_DIR = join(other, ".git");
  expect(await askGit(one, ["rev-parse", "--show-toplevel"])).toBe(one);
  expect(gitEnvironment().GIT_OPTIONAL_LOCKS).toBe("0");
  expect(gitEnvironment().PATH).toBe(process.env.PATH);
});

test("what git refuses is null: no repository, no folder, no such commit", async () => {
  expect(await askGit(root, ["rev-parse", "--show-toplevel"])).toBeNull();
  expect(await askGit(join(root, "gone"), ["rev-parse", "HEAD"])).toBeNull();
  expect(await askGit(repository("empty"), ["rev-parse", "--verify", "HEAD"])).toBeNull();
});
