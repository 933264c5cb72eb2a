import { afterAll, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FeatureContext } from "../../src/feature-api/feature-context.ts";
import { createMemoryFeature } from "../../src/features/memory/create-memory.ts";
import { ProjectMemory } from "../../src/features/memory/project-memory.ts";
import { createSqliteMemoryStore } from "../../src/features/memory/sqlite-store.ts";
import type { Notice } from "../../src/log/notices.ts";
import { enterProject, findProject } from "../../src/project/find-project.ts";
import { KnownProject } from "../../src/project/known-project.ts";
import { type ProjectId, toCommitId, toFolderId, toForkId } from "../../src/project/project.ts";
import { projectTable } from "../../src/project/tables.ts";
import type { Driver } from "../../src/storage/driver.ts";
import { added, SES, wording } from "../features/memory/store.suite.ts";
import { Workspace } from "../storage/workspace.ts";
import { projectOver } from "./at-work.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "session-runtime-identity-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const knownAs = (id: ProjectId | null) => ({
  knownAt: () => id,
  readRemotes: () => [],
  readWorktree: () => null,
});
const nobody = knownAs(null);
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

const idAt = async (path: string) => (await findProject(path, nobody)).id;

test("Y8: a repository goes by its first commit: in subfolders, clones, worktrees, and where it is moved", async () => {
  const path = repository();
  const first = `commit:${git(path, "rev-parse", "HEAD")}` as ProjectId;
  commit(path, "second");
  mkdirSync(join(path, "deep"));
  expect(await findProject(join(path, "deep"), nobody)).toEqual({
    ...{ id: first, name: path.slice(root.length + 1), worktree: path },
  });
  git(root, "clone", "-q", path, "clone");
  git(path, "worktree", "add", "-q", "../tree", "-b", "other");
  renameSync(path, `${path}-moved`);
  git(`${path}-moved`, "worktree", "repair", "../tree");
  for (const at of ["clone", "tree"]) expect(await idAt(join(root, at))).toBe(first);
  expect(await findProject(`${path}-moved`, nobody)).toMatchObject({ id: first });
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
  expect(await findProject(plain, nobody)).toMatchObject({
    id: toFolderId(plain),
    worktree: plain,
  });
  const empty = folder();
  git(empty, "init", "-q");
  expect(await idAt(empty)).toBe(toFolderId(empty));
  const path = repository();
  commit(path, "second");
  git(root, "clone", "-q", "--depth", "1", `file://${path}`, "shallow");
  expect(await idAt(join(root, "shallow"))).toBe(toFolderId(join(root, "shallow")));
});

test("what is known of a worktree counts as long as the commit is there", async () => {
  const path = repository();
  commit(path, "second");
  const second = git(path, "rev-parse", "HEAD");
  const known = (commitHash: string) => knownAs(toCommitId(commitHash));
  expect((await findProject(path, known(second))).id).toBe(`commit:${second}` as ProjectId);
  const gone = "0".repeat(40);
  expect((await findProject(path, known(gone))).id).toBe(await idAt(path));
});

test("a folder that is gone is an error", () => {
  expect(findProject(join(root, "gone"), nobody)).rejects.toThrow();
});

test("a repository that calls another project's folder its worktree gets none of that project's memories", async () => {
  const [other, path] = [folder(), folder()];
  git(path, "init", "-q");
  git(path, "config", "core.worktree", other);
  expect(git(path, "rev-parse", "--show-toplevel")).toBe(other);
  expect(await findProject(path, nobody)).toEqual({
    ...{ id: toFolderId(path), name: path.slice(root.length + 1), worktree: path },
  });
  mkdirSync(join(path, "..odd"));
  git(path, "config", "core.worktree", path);
  expect((await findProject(join(path, "..odd"), nobody)).worktree).toBe(path);
});

describe("a fork", () => {
  const workspace = new Workspace();

  function cloneFrom(origin: string, url: string): string {
    const path = folder();
    rmSync(path, { recursive: true });
    git(root, "clone", "-q", origin, path);
    git(path, "remote", "set-url", "origin", url);
    return path;
  }

  test("I29: is a project of its own until the user joins it; other forms of one remote, and none, are the same project", async () => {
    const origin = repository();
    const store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
    const enter = async (path: string) => (await enterProject(store, path, 1)).id;
    const own = await enter(cloneFrom(origin, "git@github.com:acme/shop.git"));
    expect(own).toBe(toCommitId(git(origin, "rev-parse", "HEAD")));
    expect(await enter(cloneFrom(origin, "https://me:secret@github.com/acme/shop"))).toBe(own);
    expect(await enter(origin)).toBe(own);
    expect(await enter(cloneFrom(origin, origin))).toBe(own);
    const evil = cloneFrom(origin, "https://github.com/eve/shop.git");
    const fork = await enter(evil);
    expect(fork).not.toBe(own);
    expect(await enter(evil)).toBe(fork);
    const asked = { remote: "github.com/eve/shop", ownRemote: "github.com/acme/shop" };
    expect(await store.keptApart(own)).toBeNull();
    expect(await store.keptApart(fork)).toMatchObject({ ...asked, asked: "not yet" });
    await store.asked(fork);
    expect(await store.keptApart(fork)).toMatchObject({ ...asked, asked: "yes" });
    expect(await store.joinFork(own)).toBe("not apart");
    expect(await store.joinFork(fork)).toBe("joined");
    expect(await enter(evil)).toBe(own);
    expect(await enter(cloneFrom(origin, "https://github.com/mallory/shop.git"))).not.toBe(own);
  });

  test("I29: a stranger's clone that is opened first after an update is not taken for the project", async () => {
    const origin = repository();
    const store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
    const mine = cloneFrom(origin, "git@host.example:acme/shop");
    // As an earlier version left it: the folder is known, and no remote.
    const own = await findProject(mine, store);
    await store.enter(own, 1);
    await added(store, own, wording("Prices are in cents."));
    const evil = await enterProject(store, cloneFrom(origin, "https://evil.example/"), 2);
    expect(evil.id).not.toBe(own.id);
    expect(await store.keptApart(evil.id)).toMatchObject({ ownRemote: "host.example/acme/shop" });
    expect((await enterProject(store, mine, 3)).id).toBe(own.id);
    await store.forgetProject(own.id);
    expect((await enterProject(store, mine, 4)).id).toBe(own.id);
    expect((await enterProject(store, evil.worktree, 5)).id).toBe(evil.id);
  });

  test("I29: a clone of a project that is known from elsewhere alone, by a team or an import, is that project", async () => {
    const origin = repository();
    const database = workspace.open(workspace.path());
    const store = database.store(createSqliteMemoryStore);
    const id = toCommitId(git(origin, "rev-parse", "HEAD"));
    database.store((driver) =>
      projectTable.in(driver).insert({ id, name: "", worktree: "", seenAtMs: 0 }),
    );
    expect(store.readWorktree(id)).toBeNull();
    const mine = await enterProject(store, cloneFrom(origin, "git@host.example:acme/shop"), 1);
    expect(mine.id).toBe(id);
    expect(store.readRemotes(id)).toMatchObject([
      { remote: "host.example/acme/shop", standing: "own" },
    ]);
  });

  test("I29: where the own place is known, a clone that leads elsewhere since then proves nothing", async () => {
    const origin = repository();
    const store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
    const mine = cloneFrom(origin, "git@host.example:acme/shop");
    const own = await enterProject(store, mine, 1);
    git(mine, "remote", "set-url", "origin", "git@host.example:eve/shop");
    const evil = await enterProject(store, cloneFrom(origin, "git@host.example:eve/shop"), 2);
    expect(evil.id).not.toBe(own.id);
    expect(store.keptApart(evil.id)).toMatchObject({ ownRemote: "host.example/acme/shop" });
  });

  test("I29: a place that is kept apart does not stand for the project's own", async () => {
    const origin = repository();
    const store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
    const mine = cloneFrom(origin, "git@host.example:acme/shop");
    const own = await findProject(mine, store);
    store.enter(own, 1);
    const eve = "host.example/eve/shop";
    store.claimRemote(toForkId(git(origin, "rev-parse", "HEAD"), eve), eve, null);
    const other = await enterProject(store, cloneFrom(origin, "git@host.example:mal/shop"), 2);
    expect(other.id).not.toBe(own.id);
    expect(store.keptApart(other.id)).toMatchObject({ ownRemote: "host.example/acme/shop" });
  });

  test("a fork that a team shares can't be joined; a session goes on where the shell has joined one", async () => {
    const origin = repository();
    const database = workspace.open(workspace.path());
    const store = database.store(createSqliteMemoryStore);
    const own = await enterProject(store, cloneFrom(origin, "git@host.example:a/shop"), 1);
    await added(store, own, wording("Prices are in cents."));
    const path = cloneFrom(origin, "git@host.example:b/shop");
    const memory = new ProjectMemory({
      project: new KnownProject(
        () => store,
        () => enterProject(store, path, 2),
      ),
      store: () => store,
      budgetTokens: 1_200,
      log: { warn: () => undefined } as never,
      now: () => 3,
    });
    const fork = await memory.findProject();
    const share = (driver: Driver) =>
      driver.run("INSERT INTO team_project (id) VALUES (?)", fork.id);
    database.store(share);
    expect(await store.joinFork(fork.id)).toBe("held");
    database.store((driver) => driver.run("DELETE FROM team_project"));
    expect(await store.joinFork(fork.id)).toBe("joined");
    expect((await memory.findProject()).id).toBe(own.id);
    expect(memory.lastListing).toBeNull();
  });

  test("Y8: what was stored for it is the project's once the user joins it", async () => {
    const origin = repository();
    const store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
    const own = await enterProject(store, cloneFrom(origin, "git@host.example:a/shop"), 1);
    const fork = await enterProject(store, cloneFrom(origin, "git@host.example:b/shop"), 1);
    for (const [project, text] of [
      [own, "Prices are in cents."],
      [fork, "Prices are in cents."],
      [fork, "Tables are singular."],
    ] as const) {
      await added(store, project, wording(text));
    }
    await store.joinFork(fork.id);
    const memories = await store.list(own.id);
    expect(memories.map(({ number, text }) => `${number} ${text}`).toSorted()).toEqual([
      "1 Prices are in cents.",
      "2 Tables are singular.",
    ]);
    expect(await store.list(fork.id)).toEqual([]);
  });

  test("its user is asked once, and /ctx-memory join shows the project's memories from then on", async () => {
    const origin = repository();
    const database = workspace.open(workspace.path());
    const store = database.store(createSqliteMemoryStore);
    const own = await enterProject(store, cloneFrom(origin, "git@host.example:acme/shop"), 1);
    await added(store, own, wording("Prices are in cents."));
    const directory = cloneFrom(origin, "git@host.example:eve/shop");
    const notices: Notice[] = [];
    const openHere = () =>
      createMemoryFeature({
        project: projectOver(directory, () => database),
        config: { memory: { enabled: true, budgetTokens: 1_200 } },
        database: { ensure: async () => undefined, current: () => database },
        log: { warn: () => undefined },
        notices: { notice: (notice: Notice) => void notices.push(notice) },
        now: () => 100,
      } as unknown as FeatureContext);
    const say = async (feature: ReturnType<typeof openHere>, args: string) => {
      const command = feature.commands?.find(({ name }) => name === "ctx-memory");
      if (command?.kind !== "action") throw new Error("there is no such command");
      const answer = await command.act({ sessionId: SES, args, files: [], process: "stays" });
      return answer.text;
    };
    const feature = openHere();
    const apart = /Their memories are kept\s+apart\.\s+\/ctx-memory join makes them one\./;
    expect(await say(feature, "")).not.toContain("Prices are in cents.");
    // The notice comes once and may be missed; the list goes on saying it.
    expect(await say(openHere(), "")).toMatch(apart);
    await say(feature, "add Tables are singular.");
    expect(await say(feature, "")).toMatch(apart);
    expect(notices).toHaveLength(1);
    expect(notices[0]?.message).toMatch(
      /^This clone comes from host\.example\/eve\/shop, and .+ from host\.example\/acme\/shop\. Their memories are kept apart\.$/,
    );
    expect(notices[0]?.remedy).toContain("/ctx-memory join");
    expect(await say(feature, "join")).toStartWith("Joined: ");
    expect(await say(feature, "")).toContain("Prices are in cents.");
    expect(await say(feature, "")).not.toMatch(apart);
    expect(await say(feature, "join")).toStartWith("There is nothing to join");
  });
});
