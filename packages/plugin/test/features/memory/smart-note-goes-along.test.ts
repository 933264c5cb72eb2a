import { describe, expect, spyOn, test } from "bun:test";
import { createSmartNoteStore } from "../../../src/features/memory/smart-note-store.ts";
import { createSqliteMemoryStore } from "../../../src/features/memory/sqlite-store.ts";
import { type Project, type ProjectId, toForkId } from "../../../src/project/project.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { readSessionRows } from "../../../src/storage/session-rows.ts";
import { schema } from "../../schema.ts";
import { Workspace } from "../../storage/workspace.ts";
import { entered, projectAt, SES } from "./store.suite.ts";

const workspace = new Workspace();

const note = (project: ProjectId, sessionId: typeof SES | null = null) => ({
  project,
  sessionId,
  text: "Renew the key.",
  condition: { kind: "date", atMs: 9 } as const,
  by: "user" as const,
});

const shop = projectAt("shop");
const plain = projectAt("plain", null);
const REMOTE = "forge.test/other/shop";
const fork = { ...projectAt("copy"), id: toForkId("c0ffeeshop", REMOTE) };

async function stores(...projects: readonly Project[]) {
  const database = workspace.open(workspace.path());
  const memories = await entered(database.store(createSqliteMemoryStore), ...projects);
  return { memories, notes: database.store(createSmartNoteStore) };
}

test("Y1: a deleted project's smart notes go with it, and no other's: not a fork's of the same first commit", async () => {
  const { memories, notes } = await stores(shop, fork, plain);
  for (const { id } of [shop, fork, plain]) notes.add(note(id), 1);
  await memories.forgetProject(shop.id);
  await memories.forgetProject(plain.id);
  expect(notes.open(shop.id, null)).toEqual([]);
  expect(notes.open(plain.id, null)).toEqual([]);
  expect(notes.open(fork.id, null)).toHaveLength(1);
});

test("they go along where a folder gets its first commit", async () => {
  const { memories, notes } = await stores(projectAt("new", null));
  notes.add(note(projectAt("new", null).id), 1);
  await memories.enter(projectAt("new", "f00d"), 2);
  expect(notes.open(projectAt("new", null).id, null)).toEqual([]);
  expect(notes.open(projectAt("new", "f00d").id, null)).toHaveLength(1);
});

test("they go along where the user joins a fork with the project", async () => {
  const { memories, notes } = await stores(shop, fork);
  await memories.claimRemote(shop.id, "forge.test/acme/shop", null);
  await memories.claimRemote(fork.id, REMOTE, "forge.test/acme/shop");
  notes.add(note(fork.id), 1);
  expect(await memories.joinFork(fork.id)).toBe("joined");
  expect(notes.open(shop.id, null)).toHaveLength(1);
});

test("an export of a session takes its smart notes along", async () => {
  const path = workspace.path();
  const database = workspace.open(path);
  await entered(database.store(createSqliteMemoryStore), shop);
  database.store(createSmartNoteStore).add(note(shop.id, SES), 1);
  const driver = openBunDriver(path);
  const rows = readSessionRows(driver, schema, SES);
  driver.close();
  expect(rows.filter(({ table }) => table === "note")).toHaveLength(1);
});

describe("notes and smart notes", () => {
  test("have no ref in common, and each kind is finished by its own tool alone", async () => {
    const { memories, notes } = await stores(shop);
    const reminder = notes.add(note(shop.id), 1);
    const ids = spyOn(crypto, "randomUUID").mockReturnValueOnce(reminder.id as UUID);
    const plainNote = memories.addNote({ ...note(shop.id) }, 2);
    expect(ids).toHaveBeenCalledTimes(2);
    ids.mockRestore();
    expect(plainNote.ref).not.toBe(reminder.ref);
    expect(memories.finishNote(shop.id, null, reminder.ref, 3)).toBeNull();
    expect(notes.finish(shop.id, null, plainNote.ref, 3)).toBeNull();
    expect(memories.openNotes(shop.id, null)).toEqual([plainNote]);
    expect(notes.open(shop.id, null)).toEqual([reminder]);
  });
});

type UUID = ReturnType<typeof crypto.randomUUID>;
