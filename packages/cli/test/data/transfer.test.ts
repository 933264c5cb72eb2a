import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { sourceKey } from "../../../plugin/src/context/key.ts";
import { databaseOver } from "../../../plugin/src/storage/database.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { openBunDriver } from "../../../plugin/src/storage/driver-bun.ts";
import { latestVersion, migrate, migrations } from "../../../plugin/src/storage/migrations.ts";
import type { EntryRecord, EpochRecord, SessionId } from "../../../plugin/src/storage/records.ts";
import { readSessionRows } from "../../../plugin/src/storage/session-rows.ts";
import { inputRecord, leaseOf } from "../../../plugin/test/inbox/records.ts";
import { entryRecord, epochRecord, turnRecord } from "../../../plugin/test/storage/records.ts";
import { readSessionFile, writeSessionFile } from "../../src/transfer/file-format.ts";
import { putSession } from "../../src/transfer/put-session.ts";
import { DataFolders, first, second, storeSession } from "./data-folder.ts";

setDefaultTimeout(120_000);
const folders = new DataFolders();
const RUNS = process.env.LONG === "1" ? 2_000 : 150;

/** A database in memory, of the current schema. */
function emptyDriver(): Driver {
  const driver = openBunDriver(":memory:");
  driver.exec("PRAGMA foreign_keys = ON");
  migrate(driver);
  return driver;
}

/** One thing that is stored in a session's life. */
type Happening =
  | { readonly kind: "epoch"; readonly baseline: string }
  | { readonly kind: "entry"; readonly text: string; readonly edit: "insert" | "omit" | "witness" }
  | { readonly kind: "turn"; readonly bust: string | null; readonly tokens: number | null }
  | { readonly kind: "prompt"; readonly text: string; readonly delivery: "steer" | "queue" }
  | { readonly kind: "brief"; readonly text: string };

/** Any string of JavaScript's, half surrogate pairs and NUL included. */
const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ kind: fc.constant("epoch" as const), baseline: text }),
  fc.record({
    kind: fc.constant("entry" as const),
    text,
    edit: fc.constantFrom("insert" as const, "omit" as const, "witness" as const),
  }),
  fc.record({
    kind: fc.constant("turn" as const),
    bust: fc.option(fc.string({ maxLength: 20 })),
    tokens: fc.option(fc.nat(1_000_000)),
  }),
  fc.record({
    kind: fc.constant("prompt" as const),
    text,
    delivery: fc.constantFrom("steer" as const, "queue" as const),
  }),
  fc.record({ kind: fc.constant("brief" as const), text }),
);
const life = fc.array(happening, { maxLength: 25 });

/** Stores a session's life by the real stores. */
function live(driver: Driver, sessionId: SessionId, happenings: readonly Happening[]): void {
  const { ledger, turns, inbox, briefs } = databaseOver(driver, "in memory");
  let seq = 1;
  let epochSeq = 1;
  ledger.commit({ sessionId, expectedSeq: 0, epoch: epochRecord(1, sessionId), entries: [] });
  for (const [index, event] of happenings.entries()) {
    switch (event.kind) {
      case "epoch": {
        const parts = [{ key: sourceKey("core/date"), text: event.baseline }];
        const epoch: EpochRecord = {
          ...epochRecord(seq + 1, sessionId),
          baseline: event.baseline,
          parts,
        };
        ledger.commit({ sessionId, expectedSeq: seq, epoch, entries: [] });
        seq += 1;
        epochSeq = seq;
        break;
      }
      case "entry": {
        const entry = entryOf(event, seq + 1, epochSeq, sessionId);
        ledger.commit({ sessionId, expectedSeq: seq, epoch: null, entries: [entry] });
        seq += 1;
        break;
      }
      case "turn": {
        const { bust, tokens } = event;
        turns.append({ ...turnRecord(index, epochSeq, sessionId), bust });
        if (tokens === null) break;
        const usage = {
          inputTokens: tokens,
          outputTokens: 1,
          cacheReadTokens: 2,
          cacheWriteTokens: 3,
        };
        turns.settle(sessionId, { usage, bust: null, begunAtMs: index });
        break;
      }
      case "prompt": {
        const input = inputRecord(`msg_${sessionId}_${index}`, event.delivery);
        inbox.admit({ ...input, sessionId, preview: event.text });
        break;
      }
      case "brief":
        briefs.append({
          sessionId,
          compactionId: null,
          text: event.text,
          essentials: { stage: null, step: event.text, nextAction: null, gate: null },
          carried: { objective: null, decisions: [event.text] },
          madeAtMs: index,
        });
    }
  }
}

function entryOf(
  event: Extract<Happening, { kind: "entry" }>,
  seq: number,
  epochSeq: number,
  sessionId: SessionId,
): EntryRecord {
  const entry = entryRecord(seq, epochSeq, sessionId);
  const place = { messageId: entry.messageId, partId: entry.partId };
  switch (event.edit) {
    case "insert":
      return { ...entry, edit: { verb: "insert", after: place, text: event.text } };
    case "omit": {
      const at = { messageId: entry.messageId, partId: "prt_1" };
      return { ...entry, edit: { verb: "omit", at }, told: [], delta: {} };
    }
    case "witness":
      return { ...entry, edit: null };
  }
}

function exportOf(driver: Driver, sessionId: SessionId): string {
  const about = { schemaVersion: latestVersion, sessionId, exportedAtMs: 0 };
  return writeSessionFile(readSessionRows(driver, sessionId), about);
}

function imported(driver: Driver, written: string) {
  const read = readSessionFile(written);
  if (read.kind === "unreadable") throw new Error(read.why.message);
  const { head, rows } = read.file;
  const sessionId = head.sessionId as SessionId;
  return putSession(driver, { sessionId, rows, whenThere: "keep", path: "in memory" });
}

describe("export and import", () => {
  test("a session that went out and came in is the same, row by row and to the stores", () => {
    fc.assert(
      fc.property(life, life, (one, other) => {
        const source = emptyDriver();
        const target = emptyDriver();
        live(source, first, one);
        live(source, second, other);
        live(target, second, other);
        const written = exportOf(source, first);
        expect(imported(target, written).kind).toBe("put");
        expect(exportOf(target, first)).toBe(written);
        expect(exportOf(target, second)).toBe(exportOf(source, second));
        const before = databaseOver(source, "");
        const after = databaseOver(target, "");
        expect(after.ledger.load(first)).toEqual(before.ledger.load(first));
        expect(after.turns.recent(first, 99)).toEqual(before.turns.recent(first, 99));
        expect(after.inbox.working(first)).toEqual(before.inbox.working(first));
        expect(after.overview.of(first, 99)).toEqual(before.overview.of(first, 99));
        source.close();
        target.close();
      }),
      { numRuns: RUNS },
    );
  });

  test("the ledger goes on where it was: the next entry takes the next seq", () => {
    const source = emptyDriver();
    live(source, first, [{ kind: "entry", text: "News.", edit: "insert" }]);
    const target = emptyDriver();
    imported(target, exportOf(source, first));
    const { ledger } = databaseOver(target, "");
    const commitOf = (seq: number) =>
      ledger.commit({
        sessionId: first,
        expectedSeq: seq - 1,
        epoch: null,
        entries: [entryRecord(seq, 1, first)],
      });
    expect(commitOf(2)).toEqual({ kind: "lost" });
    expect(commitOf(3)).toEqual({ kind: "committed" });
  });

  test("half a file is refused, wherever it was cut", () => {
    const source = emptyDriver();
    live(source, first, [{ kind: "turn", bust: null, tokens: 3 }]);
    const written = exportOf(source, first);
    for (let length = 0; length < written.length; length += 1) {
      const read = readSessionFile(written.slice(0, length));
      expect({ length, kind: read.kind }).toEqual({ length, kind: "unreadable" });
    }
  });

  test("a file in which one character was changed, added or lost is refused", () => {
    const source = emptyDriver();
    live(source, first, [{ kind: "entry", text: "News.", edit: "insert" }]);
    const written = exportOf(source, first);
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
      { numRuns: RUNS * 4 },
    );
  });

  function exportsSame(rows: Parameters<typeof writeSessionFile>[0], written: string): boolean {
    const about = { schemaVersion: latestVersion, sessionId: first, exportedAtMs: 0 };
    return writeSessionFile(rows, about) === written;
  }

  test("a row of another session than the head's is refused, and nothing gets in", () => {
    const source = emptyDriver();
    live(source, first, []);
    live(source, second, []);
    const about = { schemaVersion: latestVersion, sessionId: first, exportedAtMs: 0 };
    const rows = [...readSessionRows(source, first), ...readSessionRows(source, second)];
    const target = emptyDriver();
    expect(() => imported(target, writeSessionFile(rows, about))).toThrow("is not of the session");
    expect(databaseOver(target, "").sessions.list()).toEqual([]);
  });

  test("a row that the plugin could not read is refused, and nothing gets in", () => {
    const source = emptyDriver();
    live(source, first, []);
    const about = { schemaVersion: latestVersion, sessionId: first, exportedAtMs: 0 };
    const rows = readSessionRows(source, first).map(({ table, row }) => ({
      table,
      row: table === "epoch" ? { ...row, snapshot: '{"core/date":{"hash":"no"}}' } : row,
    }));
    const target = emptyDriver();
    expect(() => imported(target, writeSessionFile(rows, about))).toThrow("does not decode");
    expect(databaseOver(target, "").sessions.list()).toEqual([]);
  });
});

describe("from the shell", () => {
  test("export writes a private file, and writes over none unless it is told to", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const { out } = await folder.run(["export", first]);
    const file = join(folder.home, `${first}.jsonl`);
    expect(out).toContain(file);
    expect((await Bun.file(file).stat()).mode & 0o777).toBe(0o600);
    const again = await folder.run(["export", first]);
    expect(again.exitCode).toBe(1);
    expect(again.err).toContain("--force");
    expect((await folder.run(["export", first, "--force"])).exitCode).toBe(0);
  });

  test("import makes a database where there is none, and the copy is exact", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const other = folders.make();
    const { out: written } = await folder.run(["export", first, "-o", "-"]);
    writeFileSync(join(other.home, "one.jsonl"), written);
    const { out } = await other.run(["import", "one.jsonl", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ sessionId: first, kind: "put" });
    const { out: back } = await other.run(["export", first, "-o", "-"]);
    expect(rowsIn(back)).toEqual(rowsIn(written));
  });

  function rowsIn(written: string): readonly string[] {
    return written.trimEnd().split("\n").slice(1, -1);
  }

  test("import leaves a session that is there alone, but for --replace", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    await folder.run(["export", first]);
    const epoch = { ...epochRecord(6, first) };
    database.ledger.commit({ sessionId: first, expectedSeq: 5, epoch, entries: [] });
    const refused = await folder.run(["import", `${first}.jsonl`, "--json"]);
    expect(JSON.parse(refused.out).error.code).toBe("session-exists");
    expect(database.ledger.load(first).epochs).toHaveLength(3);
    const replaced = await folder.run(["import", `${first}.jsonl`, "--replace", "--json"]);
    expect(JSON.parse(replaced.out)).toMatchObject({ kind: "replaced" });
    expect(database.ledger.load(first).epochs).toHaveLength(2);
  });

  test("import replaces no session that a live process has open", async () => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    await folder.run(["export", first]);
    const { newOwner } = await import("../../../plugin/src/inbox/owner.ts");
    const times = { nowMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
    database.leases.acquire({ ...leaseOf(newOwner()), sessionId: first, ...times });
    const { out } = await folder.run(["import", `${first}.jsonl`, "--replace", "--json"]);
    expect(JSON.parse(out).error.code).toBe("session-open");
  });

  test.each([
    ["foreign", "no export\n"],
    ["half", "cut"],
    ["changed", "changed"],
  ])("a file that is %s is refused by name, and nothing is changed", async (kind, how) => {
    const folder = folders.make();
    const database = folder.open();
    storeSession(database, first, Date.now());
    await folder.run(["export", first]);
    const file = join(folder.home, `${first}.jsonl`);
    const written = readFileSync(file, "utf8");
    const broken =
      how === "cut"
        ? written.slice(0, -20)
        : how === "changed"
          ? written.replace("claude-sonnet", "claude-sonata")
          : how;
    writeFileSync(file, broken);
    database.sessions.remove(first);
    const { out } = await folder.run(["import", file, "--json"]);
    expect(JSON.parse(out).error.code).toBe(`import-${kind}`);
    expect(database.sessions.list()).toEqual([]);
  });

  test("a file whose rows don't fit is said of the file, not of the database", async () => {
    const folder = folders.make();
    storeSession(folder.open(), first, Date.now());
    const driver = openBunDriver(folder.path);
    const about = { schemaVersion: latestVersion, sessionId: first, exportedAtMs: 0 };
    const rows = readSessionRows(driver, first).filter(({ table }) => table !== "epoch");
    writeFileSync(join(folder.home, "unfit.jsonl"), writeSessionFile(rows, about));
    const { out } = await folder.run(["import", "unfit.jsonl", "--replace", "--json"]);
    expect(JSON.parse(out).error.code).toBe("import-unfit");
    expect(folder.open().ledger.load(first).epochs).toHaveLength(2);
  });

  test.each(migrations.slice(0, -1).map(({ version }) => version))(
    "import brings an export of schema %d up to date",
    async (version) => {
      const old = folders.make();
      old.makeByVersion(version);
      const driver = openBunDriver(old.path);
      const about = { schemaVersion: version, sessionId: "ses_one", exportedAtMs: 0 };
      const rows = readSessionRows(driver, "ses_one" as SessionId);
      const folder = folders.make();
      writeFileSync(join(folder.home, "old.jsonl"), writeSessionFile(rows, about));
      const { err, exitCode } = await folder.run(["import", "old.jsonl"]);
      expect({ err, exitCode }).toEqual({ err: "", exitCode: 0 });
      const { turns } = folder.open();
      expect(turns.recent("ses_one" as SessionId, 9)).toHaveLength(2);
    },
  );
});
