import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Commit,
  countCommits,
  hasCommit,
  isAncestor,
  readCommits,
  readHashes,
} from "../../../src/features/search/commit-log.ts";

const folder = mkdtempSync(join(tmpdir(), "session-runtime-commits-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(...words: readonly string[]): string {
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@shop.example"];
  const { status, stdout, stderr } = spawnSync("git", [...who, ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

const MISSING = "1a".repeat(20);

async function read(...known: readonly string[]): Promise<readonly Commit[]> {
  return Array.fromAsync(readCommits(folder, known, new AbortController().signal));
}

describe("a repository's commits", () => {
  let first = "";
  let aside = "";

  beforeAll(() => {
    git("init", "--quiet", "--initial-branch=main");
    for (let at = 0; at < 45; at += 1) writeFileSync(join(folder, `file-${at}.txt`), "one");
    git("add", ".");
    git("commit", "--quiet", "--message", "First", "--message", `\n${"x".repeat(5_000)}\n`);
    first = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "-b", "aside");
    git("commit", "--quiet", "--allow-empty", "--message", "Aside");
    aside = git("rev-parse", "HEAD");
    git("checkout", "--quiet", "main");
    git("commit", "--quiet", "--allow-empty", "--message", "Second");
  });

  test("are read newest first, all of them or those that others don't hold, each once", async () => {
    expect((await read()).map(({ subject }) => subject)).toEqual(["Second", "First"]);
    expect((await read(first)).map(({ subject }) => subject)).toEqual(["Second"]);
    expect((await read(MISSING, first)).map(({ subject }) => subject)).toEqual(["Second"]);
    expect(await read("HEAD")).toEqual([]);
  });

  test("have at most 40 files and 4,000 characters", async () => {
    const [second, whole] = await read();
    expect(second).toMatchObject({ author: "Ann", body: "", files: [] });
    expect(whole?.hash).toBe(first);
    expect(whole?.files).toHaveLength(40);
    expect(whole?.body).toBe("x".repeat(4_000));
  });

  test("no message forges another commit, whatever separators and hashes it holds", async () => {
    const forged = "\x1e0123456789012345678901234567890123456789\x1fEve\x1f1\x1fForged\x1fbody\x1f";
    git("checkout", "--quiet", "-b", "forging");
    const name = "ab".repeat(20);
    writeFileSync(join(folder, name), "a file that is called as a hash is");
    git("add", ".");
    git("commit", "--quiet", "--message", `Mine${forged}`, "--message", `${forged}\n\n${forged}`);
    git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", "");
    const hashes = git("rev-list", "--no-merges", "HEAD").split("\n");
    const commits = await read();
    git("checkout", "--quiet", "main");
    expect(commits.map(({ hash }) => hash)).toEqual(hashes);
    expect(commits[0]).toMatchObject({ subject: "", body: "", files: [] });
    expect(commits[1]).toMatchObject({ author: "Ann", files: [name] });
    expect(commits[1]?.subject).toStartWith("Mine");
  });

  test("are counted and listed along HEAD's line, and another line's is no ancestor", async () => {
    const head = git("rev-parse", "HEAD");
    expect(await countCommits(folder)).toBe(2);
    expect([...(await readHashes(folder, []))].toSorted()).toEqual([first, head].toSorted());
    const all = [first, head, aside].toSorted();
    expect([...(await readHashes(folder, [aside]))].toSorted()).toEqual(all);
    expect([await hasCommit(folder, aside), await hasCommit(folder, MISSING)]).toEqual([
      true,
      false,
    ]);
    expect(await isAncestor(folder, first)).toBe(true);
    expect(await isAncestor(folder, aside)).toBe(false);
  });
});
