import { expect, test } from "bun:test";
import { sqliteMemoryStore } from "../../../src/rooms/memory/sqlite-store.ts";
import { smartNoteStore } from "../../../src/rooms/smart-notes/table.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { readSessionRows } from "../../../src/storage/session-rows.ts";
import { schema } from "../../schema.ts";
import { Workspace } from "../../storage/workspace.ts";
import { entered, projectAt, SES } from "../memory/store.suite.ts";

const workspace = new Workspace();

const note = (project: string, sessionId: typeof SES | null = null) => ({
  project,
  sessionId,
  text: "Renew the key.",
  condition: { kind: "date", atMs: 9 } as const,
  by: "user" as const,
  writtenAtMs: 1,
});

test("Y1: a deleted project's smart notes go with it, by its commit and its folder, and no other's", async () => {
  const database = workspace.open(workspace.path());
  const memories = await entered(
    database.store(sqliteMemoryStore),
    projectAt("shop"),
    projectAt("till"),
    projectAt("plain", null),
  );
  const notes = database.store(smartNoteStore);
  for (const project of ["c0ffeeshop", "c0ffeetill", "/work/plain"]) notes.add(note(project));
  await memories.forgetProject(projectAt("shop").id);
  await memories.forgetProject(projectAt("plain", null).id);
  expect(notes.open("c0ffeeshop", null)).toEqual([]);
  expect(notes.open("/work/plain", null)).toEqual([]);
  expect(notes.open("c0ffeetill", null)).toHaveLength(1);
});

test("they stay where a folder gets its first commit", async () => {
  const database = workspace.open(workspace.path());
  const memories = await entered(database.store(sqliteMemoryStore), projectAt("new", null));
  const notes = database.store(smartNoteStore);
  notes.add(note("/work/new"));
  await memories.enter(projectAt("new", "f00d"), 2);
  expect(notes.open("/work/new", null)).toHaveLength(1);
});

test("an export of a session takes its smart notes along", () => {
  const path = workspace.path();
  workspace.open(path).store(smartNoteStore).add(note("c0ffeeshop", SES));
  const driver = openBunDriver(path);
  const rows = readSessionRows(driver, schema, SES);
  driver.close();
  expect(rows.filter(({ table }) => table === "smart_note")).toHaveLength(1);
});
