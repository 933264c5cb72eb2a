import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { selectInboxStores } from "../../src/features/inbox/inbox-deps.ts";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import type { Driver, SqlValue } from "../../src/storage/driver.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { StorageError, withStorageErrors } from "../../src/storage/errors.ts";
import { listSessions } from "../../src/storage/session-list.ts";
import {
  checkSessionRows,
  estimateSessionSizes,
  insertSessionRow,
  readSessionRows,
} from "../../src/storage/session-rows.ts";
import { schema } from "../schema.ts";
import {
  briefRecord,
  entryCommit,
  firstCommit,
  otherSession,
  outcome,
  session,
  turnRecord,
  usage,
} from "./records.ts";
import { Workspace } from "./workspace.ts";

const workspace = new Workspace();
const isLong = process.env.LONG === "1";
const RUNS = isLong ? 3_000 : 60;
const SEED = Number(process.env.SEED ?? 20_251_123);
const TIMEOUT_MS = 1_800_000;

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Draw = ReturnType<typeof random>;
const below = (draw: Draw, end: number) => Math.floor(draw() * end);
function pickOne<T>(draw: Draw, values: readonly T[]): T {
  const value = values[below(draw, values.length)];
  if (value === undefined) throw new Error("nothing to draw from");
  return value;
}

/** A database with rows in the schema.tables that sessions write, closed. */
function filled(): string {
  const path = workspace.path();
  const database = workspace.open(path);
  for (const id of [session, otherSession]) {
    database.ledger.commit(firstCommit(id));
    database.ledger.commit(entryCommit(1, id));
    for (const sentAtMs of [10, 20]) database.turns.append(turnRecord(sentAtMs, 1, id));
    database.turns.settle(id, outcome(10, usage, "tools changed"));
    database.briefs.append(briefRecord("msg_compaction", id));
    const owner = { sessionId: id, providerId: "p", modelId: "m" };
    database.forms.decide(owner, [{ entrySeq: 2, form: "native", cause: "first" }], 1);
    selectInboxStores(database).inbox.admit({
      sessionId: id,
      id: `msg_${id}`,
      directory: "/project",
      delivery: "queue",
      state: "waiting",
      messageId: null,
      digest: "d",
      preview: "a prompt",
      prompt: {
        ...{ form: "given", reply: "wanted", parts: [{ type: "text", text: "a prompt" }] },
        ...{ agent: null, model: null, variant: null, system: null, format: null },
      },
      admittedAtMs: 5,
    });
  }
  database.close();
  return path;
}

const fail = (error: unknown) => {
  throw error;
};

/** Whatever the plugin and the command line do with a database; each may be refused, by a code. */
function useEverything(database: RuntimeDatabase, driver: Driver): string[] {
  const { ledger, turns, briefs, forms, overview, sessions, proposals } = database;
  const { inbox } = selectInboxStores(database);
  const owner = { sessionId: session, providerId: "p", modelId: "m" };
  const uses: readonly (() => unknown)[] = [
    () => ledger.load(session),
    () => ledger.headSeq(session),
    () => ledger.prepared(session, fail),
    () => turns.recent(session, 9),
    () => turns.sentMessageIds(session, 1),
    () => inbox.working(session),
    () => inbox.waiting(session, 0, 9),
    () => inbox.prompt(`msg_${session}`),
    () => inbox.openSessions("/project", 9, 9),
    () => briefs.newest(session),
    () => forms.of(owner),
    () => proposals.waiting(session),
    () => overview.of(session, 9),
    () => listSessions(driver),
    () => estimateSessionSizes(driver, schema),
    () => checkSessionRows(driver, schema, session),
    () => readSessionRows(driver, schema, session),
    () => ledger.commit(entryCommit(2)),
    () => turns.append(turnRecord(30)),
    () => sessions.remove(session),
  ];
  return uses.map(catchErrorCode);
}

/** The code of a refusal; fails for any error that is not one of ours. */
function catchErrorCode(use: () => unknown): string {
  try {
    use();
    return "done";
  } catch (error) {
    if (error instanceof StorageError) return error.code;
    throw error;
  }
}

/** With errors as the plugin and the command line have them. */
function asStored(driver: Driver, path: string): Driver {
  return withStorageErrors(driver, path, () => undefined);
}

/** Opens the file as the plugin does, and uses it. */
function usedAt(path: string): readonly string[] {
  const drivers: Driver[] = [];
  const refusals: string[] = [];
  const opening = catchErrorCode(() => {
    const database = workspace.open(path, (file) => {
      const driver = openBunDriver(file);
      drivers.push(driver);
      return driver;
    });
    const driver = drivers.at(-1);
    if (driver) refusals.push(...useEverything(database, asStored(driver, path)));
    database.close();
  });
  return [opening, ...refusals];
}

describe(`hostile databases (SEED=${SEED}, ${RUNS} runs)`, () => {
  test(
    "K3: cut, with flipped bytes or with pages of nonsense: each use works or is refused by a code",
    () => {
      const whole = readFileSync(filled());
      const draw = random(SEED);
      const seen = new Set<string>();
      for (let run = 0; run < RUNS; run += 1) {
        const path = workspace.path();
        writeFileSync(path, spoiled(draw, whole));
        if (draw() < 0.3) writeFileSync(`${path}-wal`, spoiled(draw, whole));
        for (const code of usedAt(path)) seen.add(code);
      }
      expect([...seen]).toEqual(expect.arrayContaining(["done", "corrupt"]));
    },
    TIMEOUT_MS,
  );

  test(
    "K3, I12: cells of wrong types, forms and sizes: each use works or is refused by a code, and other sessions' work",
    () => {
      const whole = readFileSync(lax(filled()));
      const draw = random(SEED + 1);
      const seen = new Set<string>();
      for (let run = 0; run < RUNS; run += 1) {
        const path = workspace.path();
        writeFileSync(path, whole);
        spoilCells(draw, path);
        for (const code of usedAt(path)) seen.add(code);
        const other = workspace.open(path);
        expect(catchErrorCode(() => other.ledger.load(otherSession))).toBe("done");
        expect(other.turns.recent(otherSession, 9)).toHaveLength(2);
        other.close();
      }
      expect([...seen]).toEqual(expect.arrayContaining(["done", "corrupt"]));
    },
    TIMEOUT_MS,
  );

  test(
    "rows of an import: put in whole and readable, or refused by a code with nothing left",
    () => {
      const source = openBunDriver(filled());
      const rows = readSessionRows(source, schema, session);
      source.close();
      const draw = random(SEED + 2);
      const seen = new Set<string>();
      const path = workspace.path();
      workspace.open(path);
      const target = asStored(openBunDriver(path), path);
      target.exec("PRAGMA foreign_keys = ON");
      for (let run = 0; run < RUNS; run += 1) {
        const wanted = rows.map((row) => {
          if (draw() < 0.8) return row;
          const name = pickOne(draw, [...Object.keys(row.row), "unknown"]);
          return { ...row, row: { ...row.row, [name]: hostileCell(draw) } };
        });
        const code = catchErrorCode(() =>
          target.transaction(() => {
            for (const row of wanted) insertSessionRow(target, schema, session, row);
            checkSessionRows(target, schema, session);
          }),
        );
        seen.add(code);
        expect(readSessionRows(target, schema, session).length).toBe(
          code === "done" ? rows.length : 0,
        );
        target.run("DELETE FROM session WHERE id = ?", session);
      }
      expect([...seen]).toEqual(expect.arrayContaining(["done", "failed"]));
      target.close();
    },
    TIMEOUT_MS,
  );
});

const PAGE_BYTES = 4096;

function spoiled(draw: Draw, whole: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(whole);
  if (draw() < 0.25) return bytes.slice(0, below(draw, bytes.length));
  if (draw() < 0.3) {
    const from = below(draw, bytes.length / PAGE_BYTES) * PAGE_BYTES;
    for (let at = from; at < from + PAGE_BYTES; at += 1) bytes[at] = below(draw, 256);
    return bytes;
  }
  for (let flips = 1 + below(draw, 20); flips > 0; flips -= 1) {
    const at = below(draw, bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(draw, 8));
  }
  return bytes;
}

const DEEP = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;

function hostileCell(draw: Draw): SqlValue {
  return pickOne<SqlValue>(draw, [
    null,
    -1,
    2 ** 53,
    0.5,
    "",
    "null",
    "[]",
    "{}",
    '"text"',
    "{",
    DEEP,
    '{"__proto__":{"polluted":true}}',
    "\u0000\u001b]0;owned\u0007\u202e",
    "../../ses_one",
    "x".repeat(1_000_000),
    new Uint8Array([0, 255]),
  ]);
}

/** The same database by a schema without types and checks, as nobody of ours makes it. */
function lax(path: string): string {
  const driver = openBunDriver(path);
  for (const { name } of driver.all("SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
    driver.exec(`DROP TRIGGER ${String(name)}`);
  }
  for (const { name } of schema.tables) {
    driver.exec(`CREATE TABLE lax AS SELECT * FROM ${name}; DROP TABLE ${name};
      ALTER TABLE lax RENAME TO ${name}`);
  }
  driver.exec("VACUUM");
  driver.get("PRAGMA wal_checkpoint(TRUNCATE)");
  driver.close();
  return path;
}

/** Of the first session only. */
function spoilCells(draw: Draw, path: string): void {
  const driver = openBunDriver(path);
  for (let cells = 1 + below(draw, 4); cells > 0; cells -= 1) {
    const { name, columns, rules } = pickOne(draw, schema.tables);
    const owner = rules.sessionColumn;
    const column = pickOne(draw, columns.split(", "));
    if (owner === null || column === owner) continue;
    driver.run(`UPDATE ${name} SET ${column} = ? WHERE ${owner} = ?`, hostileCell(draw), session);
  }
  driver.get("PRAGMA wal_checkpoint(TRUNCATE)");
  driver.close();
}
