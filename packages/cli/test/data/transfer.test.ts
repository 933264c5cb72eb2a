import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import { createSqliteMemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import type { ProjectId } from "@session-runtime/opencode/project/project";
import { createDatabase } from "@session-runtime/opencode/storage/database";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { openBunDriver } from "@session-runtime/opencode/storage/driver-bun";
import { migrate } from "@session-runtime/opencode/storage/migrations";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { readSessionRows } from "@session-runtime/opencode/storage/session-rows";
import fc from "fast-check";
import { schema } from "../../../plugin/test/schema.ts";
import { entryRecord, sessionsIn } from "../../../plugin/test/storage/records.ts";
import { readSessionFile, writeSessionFile } from "../../src/transfer/file-format.ts";
import { putSession } from "../../src/transfer/put-session.ts";
import { first, second } from "./data-folder.ts";
import { life, live } from "./session-lives.ts";

setDefaultTimeout(600_000);
const RUNS = process.env.LONG === "1" ? 2_000 : 50;
const SEED = Number(process.env.SEED ?? 20_261_123);

/** A database in memory, of the current schema. */
function emptyDriver(): Driver {
  const driver = openBunDriver(":memory:");
  driver.exec("PRAGMA foreign_keys = ON");
  migrate(driver, schema);
  return driver;
}

function exportSession(driver: Driver, sessionId: SessionId): string {
  const about = { schemaVersion: schema.version, sessionId, exportedAtMs: 0 };
  return writeSessionFile(readSessionRows(driver, schema, sessionId), about);
}

function imported(driver: Driver, written: string) {
  const read = readSessionFile(written);
  if (read.kind === "unreadable") throw new Error(read.why.message);
  const { head, rows } = read.file;
  const sessionId = head.sessionId as SessionId;
  return putSession(driver, { sessionId, rows, whenThere: "keep" });
}

describe(`export and import (SEED=${SEED})`, () => {
  test("a session that went out and came in is the same, row by row and to the stores", () => {
    fc.assert(
      fc.property(life, life, (one, other) => {
        const source = emptyDriver();
        const target = emptyDriver();
        live(source, first, one);
        live(source, second, other);
        live(target, second, other);
        const written = exportSession(source, first);
        expect(imported(target, written).kind).toBe("put");
        expect(exportSession(target, first)).toBe(written);
        expect(exportSession(target, second)).toBe(exportSession(source, second));
        const before = createDatabase(source, "");
        const after = createDatabase(target, "");
        expect(after.ledger.load(first)).toEqual(before.ledger.load(first));
        expect(after.turns.recent(first, 99)).toEqual(before.turns.recent(first, 99));
        expect(selectInboxStores(after).inbox.working(first)).toEqual(
          selectInboxStores(before).inbox.working(first),
        );
        expect(after.overview.of(first, 99)).toEqual(before.overview.of(first, 99));
        source.close();
        target.close();
      }),
      { seed: SEED, numRuns: RUNS },
    );
  });

  test("Y6: a session's notes go with it, to a machine that knows the project or doesn't; others stay", async () => {
    const source = emptyDriver();
    live(source, first, []);
    live(source, second, []);
    const shop = { id: "commit:1" as ProjectId, name: "shop", worktree: "/shop" };
    const project = shop.id;
    const store = createSqliteMemoryStore(source);
    await store.enter(shop, 1);
    const note = (sessionId: SessionId | null, text: string) =>
      store.addNote({ project, sessionId, text, by: "user" }, 5);
    const own = await note(first, "Run the migration.");
    const done = await note(first, "Write the test.");
    await store.finishNote(project, first, done.ref, 6);
    await note(second, "Of another session.");
    await note(null, "Of the project.");
    const written = exportSession(source, first);
    const [unknown, known] = [emptyDriver(), emptyDriver()];
    await createSqliteMemoryStore(known).enter({ ...shop, name: "clone", worktree: "/clone" }, 1);
    for (const target of [unknown, known]) {
      expect(imported(target, written).kind).toBe("put");
      expect(exportSession(target, first)).toBe(written);
      const there = createSqliteMemoryStore(target);
      expect(await there.openNotes(project, first)).toEqual([own]);
      await there.enter(shop, 7);
      expect(await there.knownAt("/shop")).toBe(project);
    }
    expect(written).not.toContain("Of another");
    expect(written).not.toContain("Of the project");
  });

  test("the ledger goes on where it was: the next entry takes the next seq", () => {
    const source = emptyDriver();
    live(source, first, [{ kind: "entry", text: "News.", edit: "insert" }]);
    const target = emptyDriver();
    imported(target, exportSession(source, first));
    const { ledger } = createDatabase(target, "");
    const commitEntry = (seq: number) =>
      ledger.commit({
        sessionId: first,
        expectedSeq: seq - 1,
        epoch: null,
        entries: [entryRecord(seq, 1, first)],
      });
    expect(commitEntry(2)).toEqual({ kind: "lost" });
    expect(commitEntry(3)).toEqual({ kind: "committed" });
  });

  test("half a file is refused, wherever it was cut", () => {
    const source = emptyDriver();
    live(source, first, [{ kind: "turn", bust: null, tokens: 3 }]);
    const written = exportSession(source, first);
    for (let length = 0; length < written.length; length += 1) {
      const read = readSessionFile(written.slice(0, length));
      expect({ length, kind: read.kind }).toEqual({ length, kind: "unreadable" });
    }
  });

  test("a file in which one character was changed, added or lost is refused", () => {
    const source = emptyDriver();
    live(source, first, [{ kind: "entry", text: "News.", edit: "insert" }]);
    const written = exportSession(source, first);
    const place = fc.nat(written.length - 1);
    const change = fc.tuple(place, fc.string({ unit: "binary-ascii", maxLength: 1 }), fc.boolean());
    fc.assert(
      fc.property(change, ([at, character, isAdded]) => {
        const rest = written.slice(isAdded ? at : at + 1);
        const changed = written.slice(0, at) + character + rest;
        fc.pre(changed !== written);
        const read = readSessionFile(changed);
        // What the checksum does not cover is the end line's own spelling.
        const isSame = read.kind === "read" && exportsSame(read.file.rows, written);
        expect(read.kind === "unreadable" || isSame).toBe(true);
      }),
      { seed: SEED, numRuns: RUNS * 4 },
    );
  });

  function exportsSame(rows: Parameters<typeof writeSessionFile>[0], written: string): boolean {
    const about = { schemaVersion: schema.version, sessionId: first, exportedAtMs: 0 };
    return writeSessionFile(rows, about) === written;
  }

  test("a row of another session than the head's is refused, and nothing gets in", () => {
    const source = emptyDriver();
    live(source, first, []);
    live(source, second, []);
    const about = { schemaVersion: schema.version, sessionId: first, exportedAtMs: 0 };
    const rows = [
      ...readSessionRows(source, schema, first),
      ...readSessionRows(source, schema, second),
    ];
    const target = emptyDriver();
    expect(() => imported(target, writeSessionFile(rows, about))).toThrow("is not of the session");
    expect(sessionsIn(createDatabase(target, ""))).toEqual([]);
  });

  test("a row that the plugin could not read is refused, and nothing gets in", () => {
    const source = emptyDriver();
    live(source, first, []);
    const about = { schemaVersion: schema.version, sessionId: first, exportedAtMs: 0 };
    const rows = readSessionRows(source, schema, first).map(({ table, row }) => ({
      table,
      row: table === "epoch" ? { ...row, snapshot: '{"core/date":{"hash":"no"}}' } : row,
    }));
    const target = emptyDriver();
    expect(() => imported(target, writeSessionFile(rows, about))).toThrow("epoch (ses_first, 1)");
    expect(sessionsIn(createDatabase(target, ""))).toEqual([]);
  });
});
