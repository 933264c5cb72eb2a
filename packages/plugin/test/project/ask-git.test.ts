import { afterAll, afterEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askGit, buildGitEnvironment, readGit } from "../../src/project/ask-git.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-git-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const before = process.env.GIT_DIR;
afterEach(() => {
  if (before === undefined) delete process.env.GIT_DIR;
  else process.env.GIT_DIR = before;
});

function notAborted(): AbortSignal {
  return new AbortController().signal;
}

function repository(name: string): string {
  const path = mkdtempSync(join(root, `${name}-`));
  execFileSync("git", ["init", "-q", path], { stdio: "pipe" });
  return path;
}

test("git answers for the folder, whatever repository the process was started in", async () => {
  const [one, other] = [repository("one"), repository("other")];
  process.env.GIT_DIR = join(other, ".git");
  expect(await askGit(one, ["rev-parse", "--show-toplevel"])).toBe(one);
  expect(await readAll(readGit(one, ["rev-parse", "--show-toplevel"], notAborted()))).toBe(
    `${one}\n`,
  );
});

test("what git refuses is null: no repository, no folder, no such commit", async () => {
  expect(await askGit(root, ["rev-parse", "--show-toplevel"])).toBeNull();
  expect(await askGit(join(root, "gone"), ["rev-parse", "HEAD"])).toBeNull();
  expect(await askGit(repository("empty"), ["rev-parse", "--verify", "HEAD"])).toBeNull();
});

test("no answer in time is an error, and no refusal; one that fails by itself is a refusal", async () => {
  const folder = mkdtempSync(join(root, "bin-"));
  const path = process.env.PATH;
  const git = (script: string) => {
    writeFileSync(join(folder, "git"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  };
  process.env.PATH = `${folder}:${path}`;
  try {
    git("exec sleep 20");
    expect(await rejection(askGit(root, ["log"], 200))).toBe("git log gave no answer.");
    git("kill -9 $$");
    expect(await askGit(root, ["log"])).toBeNull();
    git("echo ' an answer '");
    expect(await askGit(root, ["log"])).toBe("an answer");
  } finally {
    process.env.PATH = path;
  }
});

test("nothing of git's is inherited, whatever case it is written in; everything else is", () => {
  const inherited = {
    GIT_CONFIG_COUNT: "9",
    GIT_TRACE: "1",
    git_exec_path: "/x",
    HOME: "/h",
    MY_GIT_X: "1",
  };
  const env = buildGitEnvironment(inherited);
  expect(env).toMatchObject({
    HOME: "/h",
    MY_GIT_X: "1",
    GIT_OPTIONAL_LOCKS: "0",
    // From git 2.44 on; the one that runs here may be older.
    GIT_NO_LAZY_FETCH: "1",
  });
  expect([env.GIT_TRACE, env.git_exec_path, env.GIT_CONFIG_COUNT]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test("a letter that comes in two pieces stays a letter", async () => {
  const folder = mkdtempSync(join(root, "halves-"));
  const path = process.env.PATH;
  const script = "#!/bin/sh\nprintf '\\303'; sleep 0.2; printf '\\251'\n";
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  process.env.PATH = `${folder}:${path}`;
  try {
    expect(await readAll(readGit(root, ["log"], notAborted()))).toBe("é");
  } finally {
    process.env.PATH = path;
  }
});

test("an answer of more than a megabyte is a whole one", async () => {
  const path = repository("large");
  writeFileSync(join(path, "large.txt"), "a line of it\n".repeat(100_000));
  execFileSync("git", ["-C", path, "add", "-A"]);
  expect(await askGit(path, ["show", ":large.txt"])).toHaveLength(13 * 100_000 - 1);
});

test("an answer that comes in pieces is the whole answer; a refusal, and an end by hand, are errors", async () => {
  const path = repository("pieces");
  const names = Array.from(
    { length: 600 },
    (_, at) => `a-file-with-a-${"long-".repeat(40)}name-${at}`,
  );
  for (const name of names) writeFileSync(join(path, name), "");
  execFileSync("git", ["-C", path, "add", "-A"]);
  const listed = await readAll(readGit(path, ["ls-files"], notAborted()));
  expect(listed.trim().split("\n").sort()).toEqual(names.sort());
  const refused = readAll(readGit(path, ["rev-list", "HEAD", "--"], notAborted()));
  expect(await rejection(refused)).toBe("git rev-list ended with 128.");
  expect(await rejection(readAll(readGit(path, ["ls-files"], AbortSignal.abort())))).toMatch(
    /abort/i,
  );
});

async function readAll(pieces: AsyncGenerator<string>): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

async function rejection(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => "resolved",
    (error) => error.message,
  );
}

test("a git that does not know GIT_CONFIG_COUNT, as before 2.31, runs no program of a repository's either", async () => {
  const path = repository("old");
  const canary = join(root, "canary.sh");
  const seen = join(root, "ran");
  writeFileSync(canary, `#!/bin/sh\ntouch ${seen}\n`, { mode: 0o755 });
  execFileSync("git", ["-C", path, "config", "core.fsmonitor", canary]);
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const bin = mkdtempSync(join(root, "bin-"));
  const script = `#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec ${real} "$@"\n`;
  writeFileSync(join(bin, "git"), script, { mode: 0o755 });
  execFileSync("git", ["-C", path, "status"], { stdio: "pipe" });
  expect(existsSync(seen)).toBe(true);
  rmSync(seen);
  const former = process.env.PATH;
  process.env.PATH = `${bin}:${former}`;
  try {
    expect(await askGit(path, ["status", "--porcelain"])).toBe("");
  } finally {
    process.env.PATH = former;
  }
  expect(existsSync(seen)).toBe(false);
});
