import { afterAll, expect, spyOn, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommitIndex } from "../../../src/features/search/commit-index.ts";
import { CommitIndexer } from "../../../src/features/search/commit-indexer.ts";
import { PASSAGES_PER_COLLECTION } from "../../../src/search-index/collection.ts";
import { IndexFile } from "../../../src/search-index/file.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId } from "../../../src/storage/records.ts";

const root = mkdtempSync(join(tmpdir(), "session-runtime-commits-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const KEY = "project" as ProjectId;
let made = 0;

function git(cwd: string, args: readonly string[], input = ""): string {
  return execFileSync("git", args, { cwd, input, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A repository with so many commits on its branch `main`, made at once. */
function repository(commits: number): string {
  made += 1;
  const path = join(root, `repository-${made}`);
  git(root, ["init", "-q", "-b", "main", path]);
  commitMore(path, "main", commits);
  return path;
}

function commitMore(path: string, branch: string, commits: number, from = ""): void {
  const one = (at: number) =>
    `commit refs/heads/${branch}\ncommitter Ann <ann@shop.example> ${at} +0000\ndata <<END\n${branch} ${at}\nEND\n${at === 0 ? from : ""}`;
  const stream = Array.from({ length: commits }, (_, at) => one(at)).join("\n");
  git(path, ["fast-import", "--quiet"], `${stream}\n`);
}

/** On top of another branch. */
const fromBranch = (branch: string) => `from refs/heads/${branch}^0\n`;

interface Hooks {
  readonly most?: number;
  readonly onPause?: (indexer: CommitIndexer) => void | Promise<void>;
}

function newIndex(): string {
  made += 1;
  return join(root, `index-${made}.db`);
}

function indexing(
  directory: string,
  { most = 1_000, onPause = () => undefined }: Hooks = {},
  path: string = newIndex(),
) {
  const file = new IndexFile({
    ...{ path, openDriver: openBunDriver, notice: () => undefined, over: () => undefined },
  });
  const seen = { pauses: 0, tooMany: [] as number[], failures: [] as unknown[] };
  const uses = spyOn(file, "use");
  const indexer: CommitIndexer = new CommitIndexer({
    ...{ file, directory, project: async () => KEY, most, now: Date.now },
    tooMany: (commits) => void seen.tooMany.push(commits),
    failed: (error) => void seen.failures.push(error),
    pause: async () => {
      seen.pauses += 1;
      await onPause(indexer);
    },
  });
  const read = <T>(work: (index: CommitIndex) => T) =>
    file.use((store) => work(new CommitIndex(store)));
  const hashes = () => [...read((index) => index.listHashes(KEY))].toSorted();
  return { indexer, seen, read, hashes, path, uses };
}

const onHead = (path: string) => git(path, ["rev-list", "HEAD"]).split("\n").toSorted();

test("all commits are indexed by the hundred, with a pause after each", async () => {
  const path = repository(250);
  const sizes: number[] = [];
  const { indexer, seen, hashes, read } = indexing(path, {
    onPause: () => void sizes.push(hashes().length),
  });
  await indexer.update();
  expect(hashes()).toEqual(onHead(path));
  expect(sizes).toEqual([100, 200]);
  expect(seen).toEqual({ pauses: 2, tooMany: [], failures: [] });
  const whole = git(path, ["rev-parse", "HEAD"]);
  expect(read((index) => index.readExtents(KEY).get(path))).toEqual({
    whole,
    goal: null,
    cut: null,
  });
});

test("later only what was added since is read, and what is up to date is not written", async () => {
  const path = repository(150);
  const { indexer, seen, hashes, uses } = indexing(path);
  await indexer.update();
  commitMore(path, "main", 10, fromBranch("main"));
  await indexer.update();
  expect(hashes()).toEqual(onHead(path));
  expect(hashes()).toHaveLength(160);
  // A hundred more would have been read again otherwise.
  expect(seen.pauses).toBe(1);
  uses.mockClear();
  await indexer.update();
  expect(uses).toHaveBeenCalledTimes(1);
});

test("what is on no way to HEAD any more is removed by the hundred, and the rest stays", async () => {
  const path = repository(120);
  commitMore(path, "side", 200, fromBranch("main"));
  git(path, ["symbolic-ref", "HEAD", "refs/heads/side"]);
  const sizes: number[] = [];
  const { indexer, hashes } = indexing(path, { onPause: () => void sizes.push(hashes().length) });
  await indexer.update();
  sizes.splice(0);
  git(path, ["symbolic-ref", "HEAD", "refs/heads/main"]);
  await indexer.update();
  expect(hashes()).toEqual(onHead(path));
  // Twice for what goes, once for the first hundred of those that stand.
  expect(sizes).toEqual([220, 120, 120]);
});

/** Commits on a branch `side`, at work in a worktree of its own. Without `from` it has nothing in common with `main`. */
function withAside(path: string, commits: number, from = ""): string {
  commitMore(path, "side", commits, from);
  const aside = `${path}-aside`;
  git(path, ["worktree", "add", "-q", aside, "side"]);
  return aside;
}

/** In the first pause that is made. */
function inFirstPause(work: () => void | Promise<void>) {
  const seen = { isOver: false };
  const onPause = async () => {
    if (seen.isOver) return;
    seen.isOver = true;
    await work();
  };
  return { seen, onPause };
}

test("worktrees on branches of their own keep each other's commits, and read only their own", async () => {
  const path = repository(120);
  const aside = withAside(path, 150, fromBranch("main"));
  commitMore(path, "main", 5, fromBranch("main"));
  const main = indexing(path);
  const side = indexing(aside, {}, main.path);
  await main.indexer.update();
  await side.indexer.update();
  const all = git(path, ["rev-list", "main", "side"]).split("\n").toSorted();
  expect([all.length, side.hashes()]).toEqual([275, all]);
  // 150 of its own; 270 with what the other has indexed.
  expect(side.seen.pauses).toBe(1);
  const pauses = main.seen.pauses;
  await main.indexer.update();
  commitMore(path, "main", 1, fromBranch("main"));
  await main.indexer.update();
  await side.indexer.update();
  expect([main.hashes().length, main.seen.pauses, side.seen.pauses]).toEqual([276, pauses, 1]);
});

test("a worktree that is indexed for the first time keeps what another is adding meanwhile", async () => {
  const path = repository(250);
  const aside = withAside(path, 3);
  const { onPause } = inFirstPause(() => side.indexer.update());
  const main = indexing(path, { onPause });
  const side = indexing(aside, {}, main.path);
  await main.indexer.update();
  expect(main.hashes()).toEqual([...onHead(path), ...onHead(aside)].toSorted());
});

test("a branch that is switched to before its history is read is not taken for the one before", async () => {
  const path = repository(150);
  commitMore(path, "side", 3);
  commitMore(path, "next", 4);
  const checkOut = (branch: string) => git(path, ["symbolic-ref", "HEAD", `refs/heads/${branch}`]);
  const { indexer, hashes } = indexing(path, { onPause: () => void checkOut(moved) });
  let moved = "main";
  await indexer.update();
  checkOut("side");
  moved = "next";
  await indexer.update();
  checkOut("side");
  moved = "side";
  await indexer.update();
  expect(hashes()).toEqual(onHead(path));
});

test("what an update added before HEAD went back to where it was is removed", async () => {
  const path = repository(3);
  const isBack = inFirstPause(() => void git(path, ["symbolic-ref", "HEAD", "refs/heads/main"]));
  const { indexer, hashes } = indexing(path, { onPause: isBack.onPause });
  await indexer.update();
  commitMore(path, "side", 150, fromBranch("main"));
  git(path, ["symbolic-ref", "HEAD", "refs/heads/side"]);
  await indexer.update();
  expect([isBack.seen.isOver, hashes().length]).toEqual([true, 153]);
  await indexer.update();
  expect(hashes()).toEqual(onHead(path));
});

test("one that removes what nobody needs begins again where another moves on meanwhile", async () => {
  const path = repository(3);
  const aside = withAside(path, 150);
  const { seen, onPause } = inFirstPause(() => {
    // Back at what is just being removed.
    git(aside, ["checkout", "-q", "side"]);
    return side.indexer.update();
  });
  const main = indexing(path, { onPause });
  const side = indexing(aside, {}, main.path);
  await side.indexer.update();
  git(aside, ["checkout", "-q", "--detach", "main"]);
  // As if it had been indexed there by somebody else.
  main.read((index) => {
    const whole = git(path, ["rev-parse", "main"]);
    index.begin(KEY, aside, { whole, goal: null, cut: null });
  });
  await main.indexer.update();
  expect(seen.isOver).toBe(true);
  const all = git(path, ["rev-list", "main", "side"]).split("\n").toSorted();
  expect(main.hashes()).toEqual(all);
});

test("what a worktree alone had goes when it is at another branch, or gone, and another one moves", async () => {
  const path = repository(3);
  const aside = withAside(path, 4, fromBranch("main"));
  const main = indexing(path);
  const side = indexing(aside, {}, main.path);
  await main.indexer.update();
  await side.indexer.update();
  expect(main.hashes()).toHaveLength(7);
  git(aside, ["checkout", "-q", "--detach", "main"]);
  await side.indexer.update();
  expect(main.hashes()).toEqual(onHead(path));
  git(aside, ["checkout", "-q", "side"]);
  await side.indexer.update();
  expect(main.hashes()).toHaveLength(7);
  git(path, ["worktree", "remove", aside]);
  commitMore(path, "next", 2);
  git(path, ["symbolic-ref", "HEAD", "refs/heads/next"]);
  await main.indexer.update();
  expect(main.hashes()).toEqual(onHead(path));
});

test("nothing goes where a clone is at a commit that isn't here", async () => {
  const path = repository(3);
  const clone = `${path}-clone`;
  git(root, ["clone", "-q", path, clone]);
  commitMore(clone, "main", 2, fromBranch("main"));
  const here = indexing(path);
  const there = indexing(clone, {}, here.path);
  await here.indexer.update();
  await there.indexer.update();
  expect(here.hashes()).toEqual(onHead(clone));
  commitMore(path, "next", 1);
  git(path, ["symbolic-ref", "HEAD", "refs/heads/next"]);
  await here.indexer.update();
  expect(here.hashes()).toEqual([...onHead(clone), ...onHead(path)].toSorted());
});

test("what a shallow clone has fetched since is indexed once, in each of its worktrees", async () => {
  const origin = repository(150);
  const path = `${origin}-shallow`;
  git(root, ["clone", "-q", "--depth", "3", `file://${origin}`, path]);
  git(path, ["worktree", "add", "-q", `${path}-aside`, "--detach", "HEAD"]);
  const main = indexing(path);
  const side = indexing(`${path}-aside`, {}, main.path);
  await main.indexer.update();
  await side.indexer.update();
  expect(main.hashes()).toHaveLength(3);
  git(path, ["fetch", "-q", "--depth", "10"]);
  await main.indexer.update();
  expect(main.hashes()).toHaveLength(10);
  git(path, ["fetch", "-q", "--unshallow"]);
  await main.indexer.update();
  expect(main.hashes()).toEqual(onHead(origin));
  const pauses = main.seen.pauses;
  expect(pauses).toBe(1);
  await main.indexer.update();
  await side.indexer.update();
  // One has read all of it, and the other has nothing left to read.
  expect([main.seen.pauses, side.seen.pauses]).toEqual([1, 0]);
  expect(side.read((index) => [...index.readExtents(KEY).values()].map(({ cut }) => cut))).toEqual([
    ...[null, null],
  ]);
});

test("a history as long as the limit is indexed, and a longer one is not, which is said once", async () => {
  const path = repository(3);
  const within = indexing(path, { most: 3 });
  await within.indexer.update();
  expect(within.hashes()).toHaveLength(3);
  const beyond = indexing(path, { most: 2 });
  await beyond.indexer.update();
  await beyond.indexer.update();
  expect(beyond.hashes()).toEqual([]);
  expect(beyond.seen.tooMany).toEqual([3]);
  expect(beyond.read((index) => index.readExtents(KEY).size)).toBe(0);
});

test("while an update is under way none is begun, and after it the next", async () => {
  const path = repository(2);
  const { indexer, hashes } = indexing(path);
  const first = indexer.update();
  expect(indexer.update()).toBe(first);
  await first;
  commitMore(path, "main", 1, fromBranch("main"));
  const second = indexer.update();
  expect(second).not.toBe(first);
  await second;
  expect(hashes()).toHaveLength(3);
});

test("an update that is closed ends without a fault, and the next one completes what it left", async () => {
  const path = repository(250);
  const closing = indexing(path, { onPause: (indexer) => indexer.close() });
  await closing.indexer.update();
  expect(closing.seen.failures).toEqual([]);
  const goal = git(path, ["rev-parse", "HEAD"]);
  expect(closing.read((index) => index.readExtents(KEY).get(path))).toEqual({
    whole: null,
    goal,
    cut: null,
  });
  expect(closing.hashes().length).toBeLessThan(250);
  const next = indexing(path, {}, closing.path);
  await next.indexer.update();
  expect(next.hashes()).toEqual(onHead(path));
});

test("a fault of the index is reported, and the next update tries again", async () => {
  const path = repository(2);
  const { indexer, seen, hashes, path: index } = indexing(path);
  git(root, ["init", "-q", index]);
  await indexer.update();
  expect(seen.failures).toHaveLength(1);
  rmSync(index, { recursive: true });
  await indexer.update();
  expect(seen.failures).toHaveLength(1);
  expect(hashes()).toHaveLength(2);
});

test("where the commits have no room any more they are indexed again by the next update", async () => {
  const path = repository(2);
  const { indexer, seen, hashes, read, path: index } = indexing(path);
  await indexer.update();
  const driver = openBunDriver(index);
  driver.run("UPDATE collection SET next_passage = next_passage + ?", PASSAGES_PER_COLLECTION - 2);
  driver.close();
  commitMore(path, "main", 1, fromBranch("main"));
  await indexer.update();
  expect(seen.failures).toHaveLength(1);
  expect(read((one) => one.readExtents(KEY).size)).toBe(0);
  await indexer.update();
  expect(seen.failures).toHaveLength(1);
  expect(hashes()).toEqual(onHead(path));
});

test("a folder without a repository has nothing to index", async () => {
  const { indexer, seen, hashes } = indexing(root);
  await indexer.update();
  expect(hashes()).toEqual([]);
  expect(seen).toEqual({ pauses: 0, tooMany: [], failures: [] });
});
