import { describe, expect, test } from "bun:test";
import { createSqliteMemoryStore } from "../../src/features/memory/sqlite-store.ts";
import { toCommitId, toForkId } from "../../src/project/project.ts";
import { projectAt } from "../features/memory/store.suite.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();
const openStore = () => workspace.open(workspace.path()).store(createSqliteMemoryStore);

const root = toCommitId("c0ffee");
const fork = toForkId("c0ffee", "h/b");

describe("the places that a project's clones came from", () => {
  test("the first is its own, and each further one is apart, as whom it came in", () => {
    const store = openStore();
    store.claimRemote(root, "h/a", null);
    store.claimRemote(fork, "h/b", "h/other");
    store.claimRemote(root, "h/c", null);
    expect(store.readRemotes(root).map(({ remote, standing }) => `${remote} ${standing}`)).toEqual([
      "h/a own",
      "h/b apart",
      "h/c apart",
    ]);
  });

  test("I29: a fork's is apart, though none is known to be the project's own", () => {
    const store = openStore();
    store.claimRemote(fork, "h/b", null);
    expect(store.readRemotes(root)).toMatchObject([{ remote: "h/b", standing: "apart" }]);
    expect(store.keptApart(fork)).toBeNull();
    expect(store.joinFork(fork)).toBe("not apart");
  });

  test("one that was joined is kept apart no longer", () => {
    const store = openStore();
    const clone = { ...projectAt("clone"), id: fork };
    store.enter(clone, 1);
    store.claimRemote(fork, "h/b", "h/a");
    expect(store.joinFork(fork)).toBe("joined");
    store.enter(clone, 2);
    expect(store.keptApart(fork)).toBeNull();
    expect(store.joinFork(fork)).toBe("not apart");
  });
});

describe("a fork in a workspace", () => {
  const clone = { ...projectAt("clone"), id: fork };
  const own = { ...projectAt("shop"), id: root };

  function joined(before: (store: ReturnType<typeof openStore>) => void) {
    const store = openStore();
    store.enter(own, 1);
    store.enter(clone, 1);
    store.claimRemote(fork, "h/b", "h/a");
    store.createWorkspace("acme", 1);
    store.createWorkspace("home", 1);
    store.joinWorkspace(projectAt("another"), "home", [], 1);
    store.joinWorkspace(clone, "acme", ["CONSTRAINTS"], 1);
    before(store);
    expect(store.joinFork(fork)).toBe("joined");
    return store;
  }

  test("brings its place there into the project that it joins", () => {
    const store = joined(() => undefined);
    expect(store.findWorkspace(root)).toMatchObject({
      ...{ name: "acme", members: [{ id: root, shares: ["CONSTRAINTS"] }] },
    });
  });

  test("leaves the project in its own, where that has one", () => {
    const store = joined((before) => void before.joinWorkspace(own, "home", [], 2));
    expect(store.findWorkspace(root)?.name).toBe("home");
    // The last project has left it.
    expect(store.workspaces().map(({ name }) => name)).toEqual(["home"]);
  });
});

describe("a folder with its first commit", () => {
  const folder = projectAt("site", null);
  const site = projectAt("site");

  test("stays in the workspace that it was in before", () => {
    const store = openStore();
    store.createWorkspace("acme", 1);
    store.joinWorkspace(folder, "acme", ["CONSTRAINTS"], 1);
    store.enter(site, 2);
    expect(store.findWorkspace(site.id)?.members).toMatchObject([
      { id: site.id, shares: ["CONSTRAINTS"] },
    ]);
  });

  test("enters no other project's workspace, and keeps its own where it has one", () => {
    const store = openStore();
    store.createWorkspace("acme", 1);
    store.createWorkspace("home", 1);
    store.joinWorkspace(projectAt("another", null), "acme", [], 1);
    store.enter(site, 2);
    expect(store.findWorkspace(site.id)).toBeNull();
    store.joinWorkspace(site, "home", [], 3);
    store.joinWorkspace(folder, "acme", [], 3);
    store.enter(site, 4);
    expect(store.findWorkspace(site.id)?.name).toBe("home");
  });
});

describe("the folders of a project", () => {
  const main = projectAt("site", "c0ffee");
  const aside = { ...main, worktree: "/work/site-aside" };

  test("are all known, whichever was last at work", () => {
    const store = openStore();
    store.enter(main, 1);
    store.enter(aside, 2);
    store.enter(main, 3);
    expect([main, aside].map(({ worktree }) => store.knownAt(worktree))).toEqual([root, root]);
    expect(store.readWorktree(root)).toBe(main.worktree);
    expect(store.knownAt("/work/nowhere")).toBeNull();
  });

  test("I29: are another project's once that is at work there, and go with a fork that is joined", () => {
    const store = openStore();
    store.enter(main, 1);
    store.enter({ ...aside, id: fork }, 2);
    expect(store.knownAt(aside.worktree)).toBe(fork);
    store.claimRemote(fork, "h/b", "h/a");
    expect(store.joinFork(fork)).toBe("joined");
    expect(store.knownAt(aside.worktree)).toBe(root);
    store.enter({ ...aside, id: toCommitId("beef") }, 3);
    expect([main, aside].map(({ worktree }) => store.knownAt(worktree))).toEqual([
      root,
      toCommitId("beef"),
    ]);
  });
});
