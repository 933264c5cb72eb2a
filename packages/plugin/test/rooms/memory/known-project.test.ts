import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import type { House } from "../../../src/features/house.ts";
import { projectOfHouse } from "../../../src/rooms/memory/house-project.ts";
import { commitId, folderId, hostId } from "../../../src/rooms/memory/ids.ts";
import { KnownProject } from "../../../src/rooms/memory/known-project.ts";
import { type MemoryStore, sqliteMemoryStore } from "../../../src/rooms/memory/sqlite-store.ts";
import { Workspace } from "../../storage/workspace.ts";
import { parseConfig } from "../../whole-config.ts";
import { projectAt } from "./store.suite.ts";

const workspace = new Workspace();
let store: MemoryStore;
let directory: string;
let notices: string[];

beforeEach(() => {
  store = workspace.open(workspace.path()).store(sqliteMemoryStore);
  directory = realpathSync(workspace.folder());
  notices = [];
});

afterEach(() => expect(notices).toEqual([]));

function houseOf(settings: object = {}): House {
  return {
    config: parseConfig(settings),
    database: { current: () => ({ store: () => store }) },
    location: { directory, worktree: directory },
    notices: { notice: ({ code }: { code: string }) => notices.push(code) },
    project: "the host's",
    now: () => 5,
  } as never;
}

const git = (...words: readonly string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...words], {
    cwd: directory,
    encoding: "utf8",
  }).trim();

describe("the project of an instance", () => {
  test("is found out once, however many rooms ask and however often", async () => {
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

  test("is one for all rooms of a house, and another house's own", async () => {
    const house = houseOf();
    expect(projectOfHouse(house)).toBe(projectOfHouse(house));
    expect(projectOfHouse(houseOf())).not.toBe(projectOfHouse(house));
    expect(await projectOfHouse(house).id()).toBe(folderId(directory));
  });

  test("takes over what was stored by the host's name of it", async () => {
    store.enter({ id: hostId("the host's"), name: "", worktree: "" }, 1);
    const note = { sessionId: null, text: "Ship it.", by: "user" } as const;
    store.addNote({ ...note, project: hostId("the host's") }, 1);
    const id = await projectOfHouse(houseOf()).id();
    expect(store.openNotes(id, null).map(({ text }) => text)).toEqual(["Ship it."]);
    expect(store.worktreeOf(hostId("the host's"))).toBeNull();
  });

  test("is asked for again where it had no first commit, by those who want to know", async () => {
    const known = projectOfHouse(houseOf());
    const left: string[] = [];
    known.whenLeft(() => left.push("left"));
    expect((await known.looked()).id).toBe(folderId(directory));
    expect(left).toEqual([]);
    git("init", "-q");
    git("commit", "-q", "--allow-empty", "-m", "First");
    const first = commitId(git("rev-parse", "HEAD"));
    expect(await known.id()).toBe(folderId(directory));
    expect((await known.looked()).id).toBe(first);
    expect(await known.id()).toBe(first);
    expect(left).toEqual(["left"]);
    await known.looked();
    expect(left).toEqual(["left"]);
  });
});
