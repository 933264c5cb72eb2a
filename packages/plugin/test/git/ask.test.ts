import { afterAll, afterEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

test("a repository's own settings have git run no program for being asked", async () => {
  const path = repository("hostile");
  const git = (args: readonly string[], input = "") =>
    execFileSync("git", ["-C", path, ...args], { input, encoding: "utf8" }).trim();
  const program = join(path, "evil.sh");
  writeFileSync(program, `#!/bin/sh\ntouch "${join(path, "ran")}"\n`, { mode: 0o755 });
  for (const name of ["gpg.program", "core.fsmonitor"]) git(["config", name, program]);
  git(["config", "log.showSignature", "true"]);
  const tree = git(["write-tree"]);
  const who = "Ann <ann@example.org> 1 +0000";
  const signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
  const signed = `tree ${tree}\nauthor ${who}\ncommitter ${who}\n${signature}\n\nSigned\n`;
  git(["update-ref", "HEAD", git(["hash-object", "-t", "commit", "-w", "--stdin"], signed)]);
  rmSync(join(path, "ran"), { force: true });
  expect(await askGit(path, ["log", "--oneline"])).toEndWith(" Signed");
  expect(await askGit(path, ["status", "--porcelain"])).toContain("evil.sh");
  expect(existsSync(join(path, "ran"))).toBe(false);
});

test("settings that the user gives git by the environment stay", () => {
  const given = { GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "a.b", GIT_CONFIG_VALUE_0: "c" };
  Object.assign(process.env, given);
  const { GIT_CONFIG_COUNT, GIT_CONFIG_KEY_0, GIT_CONFIG_KEY_1 } = gitEnvironment();
  for (const name of Object.keys(given)) delete process.env[name];
  expect([GIT_CONFIG_COUNT, GIT_CONFIG_KEY_0, GIT_CONFIG_KEY_1]).toEqual([
    ...["3", "a.b", "log.showSignature"],
  ]);
});
