import { beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "../../src/features/memory/sqlite-store.ts";
import { createKnownProject, KnownProject } from "../../src/project/known-project.ts";
import {
  type HostProjectName,
  toCommitId,
  toFolderId,
  toForkId,
  toHostId,
} from "../../src/project/project.ts";
import { projectAt } from "../features/memory/store.suite.ts";
import { Workspace } from "../storage/workspace.ts";
import { HOST_NAME, projectIn } from "./at-work.ts";

const workspace = new Workspace();
let store: MemoryStore;
let directory: string;

beforeEach(() => {
  store = workspace.open(workspace.path()).store(createSqliteMemoryStore);
  directory = realpathSync(workspace.folder());
});

const atWork = () =>
  projectIn(
    directory,
    () => store,
    () => 5,
  );

const git = (...words: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
    cwd: directory,
    encoding: "utf8",
  }).trim();

describe("the project of an instance", () => {
  test("is found out once, however many features ask and however often", async () => {
    let found = 0;
    const shop = projectAt("shop");
    const known = new KnownProject(
      () => store,
      async (places) => {
        found += 1;
        places.enter(shop, 1);
        return shop;
      },
    );
    expect(await Promise.all([known.get(), known.id(), known.looked()])).toEqual([
      shop,
      shop.id,
      shop,
    ]);
    expect(await known.looked()).toBe(shop);
    expect(found).toBe(1);
  });

  test("is known at once, by those who can't wait, from when it is found until it is left", async () => {
    const project = atWork();
    expect(project.known).toBeNull();
    const id = await project.id();
    expect(id).toBe(toFolderId(directory));
    expect(project.known).toBe(id);
    project.leave();
    expect(project.known).toBeNull();
    const late = project.id();
    project.leave();
    await late;
    expect(project.known).toBeNull();
  });

  test("says whenever it was found, and what it says of it may fail the finding", async () => {
    const project = atWork();
    const found: string[] = [];
    project.whenFound(({ id }) => void found.push(id));
    await Promise.all([project.id(), project.id()]);
    project.leave();
    await project.id();
    expect(found).toEqual([toFolderId(directory), toFolderId(directory)]);
    const failing = atWork();
    let isAway = true;
    failing.whenFound(() => {
      if (isAway) throw new Error("away");
    });
    expect(failing.id()).rejects.toThrow("away");
    await failing.id().catch(() => undefined);
    isAway = false;
    expect(await failing.id()).toBe(toFolderId(directory));
  });

  test("takes over what was stored by the host's name of it", async () => {
    store.enter({ id: toHostId(HOST_NAME), name: "", worktree: "" }, 1);
    const note = { sessionId: null, text: "Ship it.", by: "user" } as const;
    store.addNote({ ...note, project: toHostId(HOST_NAME) }, 1);
    const id = await atWork().id();
    expect(store.openNotes(id, null).map(({ text }) => text)).toEqual(["Ship it."]);
    expect(store.readWorktree(toHostId(HOST_NAME))).toBeNull();
  });

  test("I29: a fork takes over what was stored by its own folder's name, and not by the repository's, which its parent has too", async () => {
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "First");
    git("remote", "add", "origin", "git@host.example:eve/shop");
    const first = toCommitId(git("rev-parse", "HEAD"));
    store.enter({ id: first, name: "shop", worktree: "/shop" }, 1);
    store.claimRemote(first, "host.example/acme/shop", null);
    const note = { sessionId: null, by: "user" } as const;
    const names = [HOST_NAME, directory as HostProjectName];
    for (const name of names) {
      store.enter({ id: toHostId(name), name: "", worktree: "" }, 1);
      store.addNote({ ...note, project: toHostId(name), text: `By ${name}.` }, 1);
    }
    const takenBy = async (hostName: HostProjectName) => {
      const fork = await createKnownProject(
        { directory, hostName },
        () => store,
        () => 5,
      ).id();
      expect(fork).toBe(toForkId(git("rev-parse", "HEAD"), "host.example/eve/shop"));
      return store.openNotes(fork, null).map(({ text }) => text);
    };
    expect(await takenBy(HOST_NAME)).toEqual([]);
    expect(await takenBy(directory as HostProjectName)).toEqual([`By ${directory}.`]);
    expect(store.openNotes(toHostId(HOST_NAME), null)).toHaveLength(1);
  });

  test("is asked for again where it had no first commit, by those who want to know", async () => {
    const known = atWork();
    const left: string[] = [];
    known.whenLeft(() => left.push("left"));
    expect((await known.looked()).id).toBe(toFolderId(directory));
    const again = known.looked();
    expect(known.known).toBe(toFolderId(directory));
    expect((await again).id).toBe(toFolderId(directory));
    expect(left).toEqual([]);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "First");
    const first = toCommitId(git("rev-parse", "HEAD"));
    expect(await known.id()).toBe(toFolderId(directory));
    expect((await known.looked()).id).toBe(first);
    expect(await known.id()).toBe(first);
    expect(left).toEqual(["left"]);
    await known.looked();
    expect(left).toEqual(["left"]);
  });
});
