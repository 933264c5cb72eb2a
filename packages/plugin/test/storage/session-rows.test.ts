import { describe, expect, test } from "bun:test";
import { selectInboxStores } from "../../src/features/inbox/inbox-deps.ts";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import {
  checkSessionRows,
  insertSessionRow,
  readNewestActivityMs,
  readSessionRows,
} from "../../src/storage/session-rows.ts";
import { removeSession } from "../../src/storage/session-store.ts";
import { inputRecord } from "../features/inbox/records.ts";
import { schema } from "../schema.ts";
import {
  briefRecord,
  entryCommit,
  epochRecord,
  firstCommit,
  otherSession,
  session,
  turnRecord,
} from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();

function filled(): Driver {
  const path = workspace.path();
  const database = workspace.open(path);
  const { ledger, turns, briefs } = database;
  const { inbox } = selectInboxStores(database);
  for (const id of [session, otherSession]) {
    ledger.commit(firstCommit(id));
    ledger.commit(entryCommit(1, id));
    ledger.commit({ sessionId: id, expectedSeq: 2, epoch: epochRecord(3, id), entries: [] });
    turns.append(turnRecord(10, 1, id));
    turns.append(turnRecord(20, 3, id));
    briefs.append(briefRecord("msg_c", id));
  }
  inbox.admit({ ...inputRecord("queued", "queue"), admittedAtMs: 7_000 });
  const driver = openBunDriver(path);
  driver.exec("PRAGMA foreign_keys = ON");
  return driver;
}

describe("a session's rows", () => {
  test("come in an order in which they can be put in again, unchanged", () => {
    const driver = filled();
    const rows = readSessionRows(driver, schema, session);
    const names = rows.map(({ table, row }) => `${table} ${row.seq ?? ""}`.trim());
    expect(names).toEqual([
      ...["session", "epoch 1", "entry 2", "epoch 3", "turn 1", "turn 2"],
      ...["brief 1", "session_input"],
    ]);
    removeSession(driver, session);
    expect(readSessionRows(driver, schema, session)).toEqual([]);
    for (const row of rows) insertSessionRow(driver, schema, session, row);
    expect(readSessionRows(driver, schema, session)).toEqual(rows);
    checkSessionRows(driver, schema, session);
    driver.close();
  });

  test("are refused where they are not this schema's, or not this session's", () => {
    const driver = filled();
    const [row] = readSessionRows(driver, schema, session);
    if (!row) throw new Error("a row");
    removeSession(driver, session);
    const refusal = (change: object) =>
      catchStorageError(() => insertSessionRow(driver, schema, session, { ...row, ...change }))
        .message;
    const columns = "doesn't have this schema's columns";
    expect(refusal({ table: "nothing" })).toContain(columns);
    expect(refusal({ table: "session_lease" })).toContain(columns);
    expect(refusal({ row: { ...row.row, more: 1 } })).toContain(columns);
    expect(refusal({ row: { id: session } })).toContain(columns);
    const { created_at_ms, ...rest } = row.row;
    expect(refusal({ row: { ...rest, other: created_at_ms ?? null } })).toContain(columns);
    expect(refusal({ row: { ...row.row, id: otherSession } })).toContain("is not of the session");
    expect(readSessionRows(driver, schema, session)).toEqual([]);
    driver.close();
  });

  test("of a database that lacks a table, as an older version's does, are those of the others", () => {
    const driver = filled();
    const rows = readSessionRows(driver, schema, session);
    driver.exec("DROP TABLE session_input");
    const left = rows.filter(({ table }) => table !== "session_input");
    expect(left).toHaveLength(rows.length - 1);
    expect(readSessionRows(driver, schema, session)).toEqual(left);
    const lost = { table: "session_input", row: {} };
    expect(catchStorageError(() => insertSessionRow(driver, schema, session, lost)).code).toBe(
      "failed",
    );
    driver.close();
  });

  test("are checked as their stores would read them, of this session alone", () => {
    const driver = filled();
    driver.run("UPDATE turn SET digests = '{}' WHERE session_id = ? AND seq = 1", session);
    expect(catchStorageError(() => checkSessionRows(driver, schema, session)).code).toBe("corrupt");
    checkSessionRows(driver, schema, otherSession);
    driver.close();
  });

  test("say when the session was last at work: at its newest call, or prompt", () => {
    const driver = filled();
    expect(readNewestActivityMs(driver, schema, session)).toBe(7_000);
    expect(readNewestActivityMs(driver, schema, otherSession)).toBe(20);
    driver.close();
  });
});
