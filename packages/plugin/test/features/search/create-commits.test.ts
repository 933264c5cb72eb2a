import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { Finders } from "../../../src/feature-api/finders.ts";
import { createCommitsFeature } from "../../../src/features/search/create-commits.ts";
import { parseTerms } from "../../../src/features/search/query-words.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import type { Notice } from "../../../src/log/notices.ts";
import { openIndex } from "../../../src/search-index/file.ts";
import { toIndexPath } from "../../../src/search-index/place.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { eventually } from "../../eventually.ts";
import { alreadyKnown } from "../../project/at-work.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-commits-")));
const featureInstances: FeatureInstance[] = [];
afterEach(async () => {
  for (const feature of featureInstances.splice(0)) await feature.hooks?.closed?.();
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SES = "ses_1" as SessionId;
let made = 0;

function repository(): string {
  made += 1;
  const path = join(root, `repository-${made}`);
  mkdirSync(path);
  git(path, "init", "-qb", "main");
  return path;
}

function git(cwd: string, ...args: readonly string[]): string {
  const who = ["-c", "user.name=Ada L", "-c", "user.email=ada@example.com"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: "pipe" }).trim();
}

function commit(cwd: string, subject: string, file = "a.txt", body = ""): string {
  mkdirSync(join(cwd, file, ".."), { recursive: true });
  writeFileSync(join(cwd, file), subject);
  git(cwd, "add", "-A");
  git(cwd, "commit", "-qm", subject, ...(body === "" ? [] : ["-m", body]));
  return git(cwd, "rev-parse", "HEAD");
}

async function opened(directory: string, settings: object = {}, folder: string = root) {
  const notices: string[] = [];
  const logged: string[] = [];
  const config = {
    commits: { enabled: true, maxIndexed: 100_000 },
    ...settings,
  };
  const database = join(folder, `${made}-${featureInstances.length}.db`);
  const noticing = {
    notice: ({ message }: Notice) => void notices.push(message),
    over: () => undefined,
  };
  const context = {
    ...{ config, project: alreadyKnown("project") },
    location: { directory, worktree: directory },
    log: { warn: (code: string) => void logged.push(code) },
    ...{ notices: noticing, now: Date.now },
  } as unknown as FeatureContext;
  const feature = createCommitsFeature(context, {
    index: { file: await openIndex(database, noticing) },
  });
  featureInstances.push(feature);
  const finders = new Finders([feature.provides.finder]);
  const search = async (query: string) =>
    (await finders.search(SES, parseTerms(query))).findings.map(({ lines }) => lines[0]);
  /** Call by call, until it is so. */
  const updated = (expected: () => Promise<boolean>) =>
    eventually("it is indexed", () => {
      feature.hooks?.sent?.({ sessionId: SES, host: [], sent: [] } as never);
      return expected();
    });
  const finds = (query: string, subject: string) =>
    updated(async () => (await search(query)).includes(subject));
  return { feature, finders, search, updated, finds, notices, logged, database };
}

describe("commits of HEAD", () => {
  test("Y11: are found by words of subject, body, files and author, and shown by their ref", async () => {
    const path = repository();
    const hash = commit(
      path,
      "Retry webhooks",
      "src/hooks/retry.ts",
      "Stripe gives up after 3 days.",
    );
    commit(path, "Bump dependencies", "package.json");
    const { finders, search, finds } = await opened(path);
    await finds("webhooks", "Retry webhooks");
    for (const query of ["retrying a webhook", "stripe", "src/hooks/retry.ts", "Ada webhooks"]) {
      expect(await search(query)).toEqual(["Retry webhooks"]);
    }
    expect(await search("kestrel heron")).toEqual([]);
    const [found] = (await finders.search(SES, parseTerms("stripe"))).findings;
    expect(found).toMatchObject({
      words: `commit ${hash.slice(0, 10)} by Ada L`,
      lines: ["Retry webhooks", "Stripe gives up after 3 days.", "src/hooks/retry.ts"],
    });
    expect(found?.ref).toMatch(/^c:\w{6}$/);
    expect((await finders.show(found?.ref as Ref))?.lines).toHaveLength(3);
    expect(await finders.show("c:000000" as Ref)).toBeNull();
  });

  test("Y11: what is committed later is added, what is on HEAD's line no more is gone, merges are left out", async () => {
    const path = repository();
    commit(path, "First heron");
    const { search, finds, updated } = await opened(path);
    await finds("heron", "First heron");
    git(path, "checkout", "-qb", "side");
    commit(path, "Side heron", "b.txt");
    await finds("side heron", "Side heron");
    git(path, "checkout", "-q", "main");
    commit(path, "Second heron", "c.txt");
    await updated(async () => (await search("side heron")).length === 0);
    await finds("second", "Second heron");
    git(path, "merge", "-q", "--no-ff", "-m", "Merge heron", "side");
    await finds("side heron", "Side heron");
    expect((await search("heron")).toSorted()).toEqual([
      "First heron",
      "Second heron",
      "Side heron",
    ]);
    git(path, "commit", "-q", "--amend", "-m", "Merge again");
    git(path, "reset", "-q", "--hard", "HEAD~1");
    await updated(async () => (await search("side heron")).length === 0);
  });

  test("a pipe in the place of their index is shown to the user, and costs no call", async () => {
    const path = repository();
    commit(path, "First heron");
    const { search, updated, notices, logged, database } = await opened(path);
    const index = toIndexPath(database);
    Bun.spawnSync(["mkfifo", index]);
    await updated(async () => logged.length > 0);
    expect(await search("heron")).toEqual([]);
    expect(new Set(notices)).toEqual(
      new Set([
        `Session Runtime can't store its search index: ${index} is a pipe, and must be a file or not there. Until this is fixed, sessions and commits can't be searched, by words or by meaning.`,
      ]),
    );
  });

  test("an index that can't be made for another reason is logged, and nothing is found", async () => {
    const path = repository();
    commit(path, "First heron");
    const { search, updated, notices, logged } = await opened(path, {}, join(path, "a.txt"));
    await updated(async () => logged.length > 0);
    expect(await search("heron")).toEqual([]);
    expect(new Set(logged)).toEqual(new Set(["commits.failed"]));
    expect(notices).toEqual([]);
  });

  test("are indexed when a turn has settled, too, and closing lets go of the index", async () => {
    const path = repository();
    commit(path, "First heron");
    const { feature, search, database } = await opened(path);
    await eventually("it is indexed", async () => {
      await feature.hooks?.settled?.({} as never);
      return (await search("heron")).length > 0;
    });
    expect(await search("heron")).toEqual(["First heron"]);
    const log = `${toIndexPath(database)}-wal`;
    expect(existsSync(log)).toBe(true);
    await feature.hooks?.closed?.();
    expect(existsSync(log)).toBe(false);
  });

  test("a history beyond the limit is not indexed, which is said once", async () => {
    const path = repository();
    commit(path, "First heron");
    commit(path, "Second heron");
    const { search, updated, notices } = await opened(path, {
      commits: { enabled: true, maxIndexed: 1 },
    });
    await updated(async () => notices.length === 1);
    await updated(async () => true);
    await Bun.sleep(100);
    expect(notices).toEqual([
      expect.stringContaining("has 2 commits, more than commits.maxIndexed (1)"),
    ]);
    expect(await search("heron")).toEqual([]);
  });

  test("without a repository nothing is indexed", async () => {
    made += 1;
    const path = join(root, `plain-${made}`);
    mkdirSync(path);
    const { search, updated, logged } = await opened(path);
    await updated(async () => true);
    await Bun.sleep(100);
    expect(await search("heron")).toEqual([]);
    expect(logged).toEqual([]);
  });

  test("names of files and texts with separators of lists and odd characters are read whole", async () => {
    const path = repository();
    commit(
      path,
      'Quote "heron"; drop NEAR(',
      "dir with space/ünïcode \u2028 name.txt",
      "a\n\n- b\n\x1bc",
    );
    const { finders, finds } = await opened(path);
    await finds("ünïcode", 'Quote "heron"; drop NEAR(');
    const [found] = (await finders.search(SES, parseTerms('"heron" NEAR('))).findings;
    const whole = await finders.show(found?.ref as Ref);
    expect(whole?.lines).toContain("dir with space/ünïcode \u2028 name.txt");
  });

  test("Y11, V1: are offered to be found by meaning, newest first; what can't be read is not taken for gone", async () => {
    const path = repository();
    commit(path, "First heron", "a.txt", "It nests.");
    const { feature, finds, database } = await opened(path);
    await finds("heron", "First heron");
    const meant = feature.provides.corpus;
    expect(await meant.list()).toBeNull();
    const keys = [git(path, "rev-parse", "HEAD")];
    expect(await meant.texts([...keys, "gone"])).toEqual(["First heron\nIt nests.", null]);
    const asker = { sessionId: SES, within: "session", terms: [] } as const;
    const [found, gone] = await meant.find(asker, [...keys, "gone"]);
    expect(found).toMatchObject({ lines: ["First heron", "It nests.", "a.txt"] });
    expect(gone).toBe("gone");
    const file = toIndexPath(database);
    for (const end of ["", "-wal", "-shm"]) rmSync(file + end, { force: true });
    mkdirSync(file);
    expect(await meant.texts(keys)).toEqual([]);
    expect(await meant.find(asker, keys)).toEqual([]);
  });
});
