import { describe, expect, test } from "bun:test";
import * as z from "zod";
import {
  brandedText,
  DecodeError,
  integer,
  json,
  knownValue,
  nullable,
  real,
  text,
} from "../../src/storage/column.ts";
import type { Driver } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { estimateSessionSizes, readNewestActivityMs } from "../../src/storage/session-rows.ts";
import { ensureSession } from "../../src/storage/session-store.ts";
import { type RowOf, table } from "../../src/storage/table.ts";
import { schema } from "../schema.ts";
import { firstCommit, otherSession, session, turnRecord } from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();

function opened(): Driver {
  const path = workspace.path();
  workspace.open(path);
  const driver = openBunDriver(path);
  driver.exec("PRAGMA foreign_keys = ON");
  return driver;
}

const names = (driver: Driver, sql: string, ...binds: string[]) =>
  driver.all(sql, ...binds).map(({ name }) => String(name));

describe("each table is declared once, as the schema has it", () => {
  test("all of the schema's tables, and no others", () => {
    const driver = opened();
    const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    const stored = names(driver, sql);
    expect(schema.tables.map(({ name }) => name).toSorted()).toEqual(stored.toSorted());
    driver.close();
  });

  for (const { name, columns, longColumns, rules } of schema.tables) {
    test(`${name}: columns, key and the columns that its rules name`, () => {
      const driver = opened();
      const stored = names(driver, "SELECT name FROM pragma_table_info(?)", name);
      expect(columns.split(", ").toSorted()).toEqual(stored.toSorted());
      const { sessionColumn, activityColumn, exported } = rules;
      const order = exported.kind === "in order" ? exported : null;
      const named = [
        ...[sessionColumn, activityColumn, order?.sequence].filter((one) => one != null),
        ...(order?.by.split(", ") ?? []),
        ...(order?.derived ?? []),
        ...longColumns,
      ];
      expect(stored).toEqual(expect.arrayContaining(named));
      driver.close();
    });

    test(`${name}: texts of any length, which SQLite checks as JSON, are counted in its size`, () => {
      const driver = opened();
      const sql = "SELECT sql AS name FROM sqlite_schema WHERE name = ?";
      const [schema = ""] = names(driver, sql, name);
      const checked = [...schema.matchAll(/json_(?:type|valid)\((\w+)\)/g)].map(([, one]) => one);
      expect([...longColumns].toSorted()).toEqual(checked.map(String).toSorted());
      driver.close();
    });

    test(`ST1: ${name}: its rows go with their session`, () => {
      const driver = opened();
      expect(leadsToSession(driver, name)).toBe(rules.sessionColumn !== null);
      driver.close();
    });
  }
});

/** Whether cascading foreign keys lead from a table to the sessions. */
function leadsToSession(driver: Driver, name: string): boolean {
  if (name === "session") return true;
  const sql = `SELECT "table" AS name FROM pragma_foreign_key_list(?) WHERE on_delete = 'CASCADE'`;
  // A row may also go with another one of its own table.
  const parents = names(driver, sql, name).filter((parent) => parent !== name);
  return parents.some((parent) => leadsToSession(driver, parent));
}

describe("what follows from the declarations", () => {
  test("a session's size has all its schema.tables in it, forms of updates too", () => {
    const path = workspace.path();
    const { ledger, forms } = workspace.open(path);
    ledger.commit(firstCommit());
    const entry = { ...firstCommit(), expectedSeq: 1, epoch: null };
    const driver = openBunDriver(path);
    const before = estimateSessionSizes(driver, schema).get(session) ?? 0;
    ensureSession(driver, otherSession, 1);
    expect(estimateSessionSizes(driver, schema).get(otherSession)).toBe(200);
    driver.exec(`INSERT INTO entry (session_id, seq, epoch_seq, origin, message_id, announced, delta,
      decided_at_ms) VALUES ('${session}', 2, 1, 'announce-update', 'msg_1', '[]', '{}', 1)`);
    const withEntry = estimateSessionSizes(driver, schema).get(session) ?? 0;
    expect(withEntry - before).toBe(204);
    forms.decide(
      { sessionId: session, providerId: "p", modelId: "m" },
      [{ entrySeq: 2, form: "native", cause: "first" }],
      1,
    );
    expect((estimateSessionSizes(driver, schema).get(session) ?? 0) - withEntry).toBe(200);
    expect(entry.sessionId).toBe(session);
    driver.close();
  });

  test("a session was last at work at its newest call or prompt", () => {
    const path = workspace.path();
    const { ledger, turns } = workspace.open(path);
    ledger.commit(firstCommit());
    const driver = openBunDriver(path);
    expect(readNewestActivityMs(driver, schema, session)).toBe(0);
    turns.append(turnRecord(70));
    turns.append(turnRecord(90));
    expect(readNewestActivityMs(driver, schema, session)).toBe(90);
    expect(readNewestActivityMs(driver, schema, otherSession)).toBe(0);
    driver.close();
  });
});

describe("a table", () => {
  const notes = table(
    "note",
    {
      sessionId: brandedText<SessionId>(),
      noteRank: integer,
      kind: knownValue(["short", "long"]),
      words: json<readonly string[]>(z.array(z.string())),
      author: nullable(text),
    },
    {
      key: ["sessionId", "noteRank"],
      sessionColumn: "session_id",
      exported: { kind: "never" },
      activityColumn: null,
    },
  );
  type Note = RowOf<typeof notes>;
  const note: Note = {
    sessionId: session,
    noteRank: 1,
    kind: "short",
    words: ["a", "b\ud800"],
    author: null,
  };

  function withNotes(): Driver {
    const driver = openBunDriver(":memory:");
    driver.exec(`CREATE TABLE note (session_id TEXT, note_rank INTEGER, kind TEXT DEFAULT 'long',
      words TEXT DEFAULT '[]', author TEXT, PRIMARY KEY (session_id, note_rank))`);
    return driver;
  }
  const first = (driver: Driver) => driver.get(`SELECT ${notes.columns} FROM note`) ?? {};

  test("gives back what was put in, and its key", () => {
    const driver = withNotes();
    expect(notes.in(driver).insert(note)).toEqual({ sessionId: session, noteRank: 1 });
    expect(notes.read(first(driver))).toEqual(note);
    expect(notes.longColumns).toEqual(["words"]);
  });

  test("leaves to the schema what is not given, and says where a clause has let no row in", () => {
    const driver = withNotes();
    const given = { sessionId: session, noteRank: 2 };
    notes.in(driver).insert(given);
    expect(notes.read(first(driver))).toEqual({ ...given, kind: "long", words: [], author: null });
    expect(notes.in(driver).insertNew(given)).toBeNull();
  });

  test("reads some columns of a row, and no others", () => {
    const driver = withNotes();
    notes.in(driver).insert({ ...note, author: "me" });
    driver.exec("UPDATE note SET words = 'broken'");
    const some = notes.pick("author", "kind");
    const row = driver.get(`SELECT ${some.columns} FROM note`) ?? {};
    expect(some.read(row)).toEqual({ author: "me", kind: "short" });
  });

  test.each([
    ["words = 'broken'", "words (not JSON)"],
    ["words = '[1]'", "words: 0 (invalid_type)"],
    ["words = x'01'", "words (not a text)"],
    ["kind = 's3cr3t'", "kind (not a known value)"],
    ["author = x'01'", "author (not a text)"],
  ])(
    "names table, key and column of a cell that can't be read, not what is in it: %s",
    (change, said) => {
      const driver = withNotes();
      notes.in(driver).insert(note);
      driver.exec(`UPDATE note SET ${change}`);
      const { code, message } = catchStorageError(() => notes.read(first(driver)));
      expect(code).toBe("corrupt");
      expect(message).toStartWith(`A stored row can't be read: note (ses_one, 1): ${said}.`);
    },
  );

  test("refuses a value that could not be read back, and names its column", () => {
    const driver = withNotes();
    const wrong = { ...note, words: [1] } as unknown as Note;
    const { code, message } = catchStorageError(() => notes.in(driver).insert(wrong));
    expect([code, message]).toEqual(["failed", "note.words: 0 (invalid_type) can't be stored."]);
    expect(catchStorageError(() => notes.encode("words", wrong.words)).code).toBe("failed");
  });

  test("lets errors pass that are not a value's", () => {
    const thrower = table(
      "thrower",
      {
        id: {
          ...text,
          decode: (): string => {
            throw new TypeError("of a codec");
          },
          encode: () => {
            throw new TypeError("of a codec");
          },
        },
      },
      { key: ["id"], sessionColumn: null, exported: { kind: "never" }, activityColumn: null },
    );
    expect(() => thrower.read({ id: "x" })).toThrow(TypeError);
    expect(() => thrower.encode("id", "x")).toThrow(TypeError);
  });

  test("takes numbers for numbers alone", () => {
    expect([real.decode(0.5), real.decode(3)]).toEqual([0.5, 3]);
    for (const cell of ["1", null]) expect(() => real.decode(cell)).toThrow(DecodeError);
  });

  test("takes integers that are exact", () => {
    expect(integer.decode(2 ** 53 - 1)).toBe(2 ** 53 - 1);
    for (const cell of [2 ** 53, 0.5, "1", null]) {
      expect(() => integer.decode(cell)).toThrow(DecodeError);
    }
  });
});
