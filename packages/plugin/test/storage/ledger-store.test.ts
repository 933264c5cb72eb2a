import { expect, test } from "bun:test";
import type { Snapshot } from "../../src/context/snapshot.ts";
import { selectInboxStores } from "../../src/features/inbox/inbox-deps.ts";
import type { Driver } from "../../src/storage/driver.ts";
import type { StorageError } from "../../src/storage/errors.ts";
import type { LedgerCommit } from "../../src/storage/ledger-store.ts";
import { openRuntimeDatabase } from "../../src/storage/open.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { createLeaseRequest, inputRecord } from "../features/inbox/records.ts";
import { schema } from "../schema.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { rowCounts } from "./dump.ts";
import {
  entryCommit,
  entryRecord,
  epochRecord,
  firstCommit,
  otherSession,
  session,
  sessionsIn,
  turnRecord,
} from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();
const fail = (error: unknown) => {
  throw error;
};

test("openRuntimeDatabase opens with the runtime's own SQLite", async () => {
  const { database, movedAside } = await openRuntimeDatabase({ schema, path: workspace.path() });
  expect(movedAside).toBeNull();
  expect(database.ledger.commit(firstCommit())).toEqual({ kind: "committed" });
  database.close();
});

describeOnEachDriver("ledger store", (openDriver) => {
  const opened = () => workspace.open(workspace.path(), openDriver);

  /** A database, and a bare connection to its file. */
  function tampering(change: (driver: Driver) => void) {
    const path = workspace.path();
    const database = workspace.open(path, openDriver);
    database.ledger.commit(firstCommit());
    database.ledger.commit(entryCommit(1));
    database.ledger.commit(firstCommit(otherSession));
    const driver = openDriver(path);
    driver.exec("PRAGMA ignore_check_constraints = ON");
    driver.exec("DROP TRIGGER epoch_is_never_updated; DROP TRIGGER entry_is_never_updated");
    change(driver);
    driver.close();
    return database;
  }

  test("a session that is not known has an empty ledger", () => {
    expect(opened().ledger.load(session)).toEqual({ epochs: [], entries: [] });
  });

  test("load gives back what was committed, by rank, after a restart too", () => {
    const path = workspace.path();
    const first = workspace.open(path, openDriver);
    const witness = { ...entryRecord(3, 1), edit: null };
    const pure = { ...entryRecord(4, 1), announced: [], delta: {}, partId: null };
    first.ledger.commit({ ...firstCommit(), entries: [entryRecord(2, 1)] });
    first.ledger.commit({
      sessionId: session,
      expectedSeq: 2,
      epoch: null,
      entries: [witness, pure],
    });
    first.ledger.commit({
      sessionId: session,
      expectedSeq: 4,
      epoch: epochRecord(5),
      entries: [entryRecord(6, 5), entryRecord(7, 1)],
    });
    const expected = {
      epochs: [epochRecord(1), epochRecord(5)],
      entries: [entryRecord(2, 1), witness, pure, entryRecord(6, 5), entryRecord(7, 1)],
    };
    expect(first.ledger.load(session)).toEqual(expected);
    expect(workspace.open(path, openDriver).ledger.load(session)).toEqual(expected);
  });

  for (const verb of ["replace", "omit", "fold"] as const) {
    test(`keeps an edit of verb ${verb}`, () => {
      const database = opened();
      const at = { messageId: "msg_2", partId: "prt_2" };
      const edit = {
        replace: { verb: "replace", at, text: "[dropped]" },
        omit: { verb: "omit", at },
        fold: { verb: "fold", first: "msg_1", last: "msg_2", text: "Once." },
      } as const;
      const entry = { ...entryRecord(2, 1), edit: edit[verb] };
      database.ledger.commit({ ...firstCommit(), entries: [entry] });
      expect(database.ledger.load(session).entries).toEqual([entry]);
    });
  }

  test("I2: texts come back exact, which no driver does with lone surrogates by itself", () => {
    const path = workspace.path();
    const baseline = 'NUL \0, lone \ud800c and \udc00, 😀, "quotes" \\ and\r\nlines\u2028';
    const database = workspace.open(path, openDriver);
    const parts = epochRecord(1).parts.map((part) => ({ ...part, text: baseline }));
    database.ledger.commit({ ...firstCommit(), epoch: { ...epochRecord(1), baseline, parts } });
    const [epoch] = workspace.open(path, openDriver).ledger.load(session).epochs;
    expect(epoch?.baseline === baseline).toBeTrue();
    expect(epoch?.parts).toEqual(parts);
  });

  test("a commit on another rank than the highest is lost and writes nothing", () => {
    const database = opened();
    database.ledger.commit(firstCommit());
    expect(database.ledger.commit(firstCommit())).toEqual({ kind: "lost" });
    expect(database.ledger.commit(entryCommit(1))).toEqual({ kind: "committed" });
    expect(database.ledger.commit(entryCommit(1))).toEqual({ kind: "lost" });
    expect(database.ledger.commit(entryCommit(7))).toEqual({ kind: "lost" });
    expect(database.ledger.load(session).entries).toEqual([entryRecord(2, 1)]);
  });

  test("a commit to a session that was removed meanwhile is lost", () => {
    const database = opened();
    database.ledger.commit(firstCommit());
    database.sessions.remove(session);
    expect(database.ledger.commit(entryCommit(1))).toEqual({ kind: "lost" });
    expect(sessionsIn(database)).toEqual([]);
  });

  test("an empty commit writes nothing and still tells whether it is lost", () => {
    const database = opened();
    const empty: LedgerCommit = { sessionId: session, expectedSeq: 0, epoch: null, entries: [] };
    expect(database.ledger.commit(empty)).toEqual({ kind: "committed" });
    expect(sessionsIn(database)).toEqual([]);
    expect(database.ledger.commit({ ...empty, expectedSeq: 1 })).toEqual({ kind: "lost" });
  });

  test("a commit with a gap, a repeated rank or another session's row is refused whole", () => {
    const database = opened();
    database.ledger.commit(firstCommit(otherSession));
    const refused: LedgerCommit[] = [
      { ...firstCommit(), epoch: epochRecord(2) },
      { ...firstCommit(), entries: [entryRecord(3, 1)] },
      { ...firstCommit(), entries: [entryRecord(2, 1), entryRecord(2, 1)] },
      { ...firstCommit(), epoch: epochRecord(1, otherSession) },
      { ...firstCommit(), entries: [entryRecord(2, 1, otherSession)] },
    ];
    for (const commit of refused) {
      const { code, message } = catchStorageError(() => database.ledger.commit(commit));
      expect([code, message]).toEqual(["failed", expect.stringContaining("stands where ")]);
    }
    expect(sessionsIn(database)).toEqual([otherSession]);
    expect(database.ledger.headSeq(otherSession)).toBe(1);
  });

  test("what is prepared for an epoch stands until that is stored, and no longer", () => {
    const database = opened();
    database.ledger.commit(firstCommit());
    const { origin, edit } = entryRecord(2, 1);
    if (!edit) throw new Error("no edit");
    const edits = [{ origin, edit }];
    database.ledger.prepare({ sessionId: session, edits, settled: [], atMs: 5 });
    database.ledger.commit(entryCommit(1));
    expect(database.ledger.prepared(session, fail)).toEqual(edits);
    const epoch = epochRecord(3);
    database.ledger.commit({ sessionId: session, expectedSeq: 2, epoch, entries: [] });
    expect(database.ledger.prepared(session, fail)).toEqual([]);
  });

  test("an entry of an epoch that is not there is refused, and its whole commit with it", () => {
    const database = opened();
    database.ledger.commit(firstCommit());
    const entries = [entryRecord(2, 1), { ...entryRecord(3, 2) }];
    const commit = { sessionId: session, expectedSeq: 1, epoch: null, entries };
    expect(catchStorageError(() => database.ledger.commit(commit)).code).toBe("failed");
    expect(database.ledger.load(session).entries).toEqual([]);
  });

  test("A17: a key that is not namespaced is refused in storage too", () => {
    const database = opened();
    const entry = { hash: "0011223344556677", json: "1", removed: null };
    const snapshot: Snapshot = { ["Weather" as keyof Snapshot]: entry };
    const commit = { ...firstCommit(), epoch: { ...epochRecord(1), snapshot } };
    const error = catchStorageError(() => database.ledger.commit(commit));
    expect(error.code).toBe("failed");
    expect(error.message).toContain("epoch.snapshot");
    expect(sessionsIn(database)).toEqual([]);
  });

  test("I12: sessions have sequences of their own", () => {
    const database = opened();
    database.ledger.commit(firstCommit());
    database.ledger.commit(firstCommit(otherSession));
    expect(database.ledger.commit(entryCommit(1))).toEqual({ kind: "committed" });
    expect(database.ledger.commit(entryCommit(1, otherSession))).toEqual({ kind: "committed" });
    expect(database.ledger.load(session).entries).toEqual([entryRecord(2, 1)]);
    expect(database.ledger.load(otherSession).entries).toEqual([entryRecord(2, 1, otherSession)]);
  });

  test("the schema itself refuses gaps, repeats, updates and strays", () => {
    const path = workspace.path();
    workspace.open(path, openDriver).ledger.commit(firstCommit());
    const driver = openDriver(path);
    driver.exec("PRAGMA foreign_keys = ON");
    const entry = (seq: number, epochSeq: number, told: string) =>
      driver.run(
        `INSERT INTO entry (session_id, seq, epoch_seq, origin, message_id, announced, delta, decided_at_ms)
         VALUES (?, ?, ?, 'announce-update', 'msg', ?, '{}', 1)`,
        session,
        seq,
        epochSeq,
        told,
      );
    expect(() => entry(3, 1, "[]")).toThrow(/next seq/);
    expect(() => entry(1, 1, "[]")).toThrow(/next seq/);
    expect(() => entry(2, 2, "[]")).toThrow(/CHECK/);
    expect(() => entry(2, 1, "{}")).toThrow(/CHECK/);
    expect(() => entry(2, 1, "not json")).toThrow(/JSON/i);
    expect(() => driver.run("UPDATE epoch SET baseline = '\"\"'")).toThrow(/never updated/);
    entry(2, 1, "[]");
    expect(() => driver.run("UPDATE entry SET announced = '[]'")).toThrow(/never updated/);
    driver.close();
  });

  const damages: readonly (readonly [string, string, string])[] = [
    [
      "a column that is no JSON",
      "UPDATE entry SET announced = '[' WHERE session_id = 'ses_one'",
      "entry (ses_one, 2)",
    ],
    [
      "an edit of an unknown verb",
      `UPDATE entry SET edit = '{"verb":"sing"}'`,
      "entry (ses_one, 2)",
    ],
    ["a key that is not namespaced", `UPDATE entry SET delta = '{"x":null}'`, "entry (ses_one, 2)"],
    [
      "an unknown cause",
      "UPDATE epoch SET cause = 'whim' WHERE session_id = 'ses_one'",
      "epoch (ses_one, 1)",
    ],
    [
      "a snapshot without hash",
      `UPDATE epoch SET snapshot = '{"a/b":{"secret":"s3cr3t"}}' WHERE session_id = 'ses_one'`,
      "epoch (ses_one, 1)",
    ],
  ];
  for (const [title, sql, place] of damages) {
    test(`I12: ${title} is told as corrupt by table and key, and costs no other session`, () => {
      const database = tampering((driver) => driver.exec(sql));
      const error = catchStorageError(() => database.ledger.load(session));
      expect(error.code).toBe("corrupt");
      expect(error.message).toContain(place);
      expect(error.message).not.toContain("s3cr3t");
      expect(database.ledger.load(otherSession).epochs).toEqual([epochRecord(1, otherSession)]);
    });
  }

  for (const [column, table, seq] of [
    ["baseline", "epoch", 1],
    ["parts", "epoch", 1],
    ["snapshot", "epoch", 1],
    ["edit", "entry", 2],
    ["announced", "entry", 2],
    ["delta", "entry", 2],
  ] as const) {
    test(`K3: a byte that has flipped in ${table}.${column} is noticed as the row is read, and no other row goes`, () => {
      const of = `WHERE session_id = 'ses_one' AND seq = ${seq}`;
      const flipped = `UPDATE ${table} SET ${column} = replace(${column}, 'Today', 'Tomay') ${of}`;
      const spaced = `UPDATE ${table} SET ${column} = ${column} || ' ' ${of}`;
      for (const sql of [flipped, spaced]) {
        const database = tampering((driver) => driver.exec(sql));
        const found: StorageError[] = [];
        const sound = database.ledger.loadSound(session, (error) => found.push(error));
        if (sql === flipped && found.length === 0) continue;
        expect(found.map(({ code }) => code)).toEqual(["corrupt"]);
        expect(found[0]?.message).toContain(`${table} (ses_one, ${seq})`);
        expect(found[0]?.message).not.toContain("Tomay");
        expect(sound.damagedSeqs).toEqual([seq]);
        expect(sound.epochs.length + sound.entries.length).toBe(1);
        expect(database.ledger.loadSound(otherSession, fail).damagedSeqs).toEqual([]);
      }
    });
  }

  test("K4: a row without a checksum is taken as it is", () => {
    const database = tampering((driver) =>
      driver.exec(`UPDATE epoch SET checksum = NULL, baseline = '"Other."'`),
    );
    expect(database.ledger.loadSound(session, fail).epochs).toMatchObject([{ baseline: "Other." }]);
  });

  test("K3: prepared edits of which one is damaged are none, as they belong together", () => {
    const edits = [entryRecord(2, 1), entryRecord(3, 1)].flatMap(({ edit }) =>
      edit ? [{ origin: "own", edit }] : [],
    );
    const path = workspace.path();
    const database = workspace.open(path, openDriver);
    database.ledger.commit(firstCommit());
    database.ledger.prepare({ sessionId: session, edits, settled: [], atMs: 5 });
    expect(database.ledger.prepared(session, fail)).toEqual(edits);
    const driver = openDriver(path);
    driver.exec("UPDATE prepared_edit SET edit = edit || ' ' WHERE rank = 2");
    driver.close();
    const found: StorageError[] = [];
    expect(database.ledger.prepared(session, (error) => found.push(error))).toEqual([]);
    expect(found).toHaveLength(1);
  });

  test("headSeq is what the next commit must expect, also behind another connection's", () => {
    const path = workspace.path();
    const mine = workspace.open(path, openDriver);
    const other = workspace.open(path, openDriver);
    expect(mine.ledger.headSeq(session)).toBe(0);
    mine.ledger.commit(firstCommit());
    expect(mine.ledger.headSeq(session)).toBe(1);
    other.ledger.commit(entryCommit(1));
    expect(mine.ledger.headSeq(session)).toBe(2);
    expect(mine.ledger.headSeq(otherSession)).toBe(0);
  });

  test("foreignVersion of two connections is never the same", () => {
    const path = workspace.path();
    const versions = [1, 2, 3].map(() => workspace.open(path, openDriver).foreignVersion());
    expect(new Set(versions).size).toBe(3);
  });

  test("foreignVersion changes when another connection has written, and only then", () => {
    const path = workspace.path();
    const mine = workspace.open(path, openDriver);
    const other = workspace.open(path, openDriver);
    const start = mine.foreignVersion();
    mine.ledger.commit(firstCommit());
    expect(mine.foreignVersion()).toBe(start);
    other.ledger.load(session);
    expect(mine.foreignVersion()).toBe(start);
    other.ledger.commit(entryCommit(1));
    const after = mine.foreignVersion();
    expect(after).not.toBe(start);
    expect(mine.foreignVersion()).toBe(after);
  });

  test("a deleted session leaves no row in any table, and the others theirs", () => {
    const path = workspace.path();
    const database = workspace.open(path, openDriver);
    for (const id of [session, otherSession]) {
      database.ledger.commit({ ...firstCommit(id), entries: [entryRecord(2, 1, id)] });
      database.ledger.commit({
        sessionId: id,
        expectedSeq: 2,
        epoch: epochRecord(3, id),
        entries: [],
      });
      database.turns.append(turnRecord(1, 1, id));
      database.turns.append(turnRecord(2, 3, id));
      selectInboxStores(database).inbox.admit(inputRecord(`msg_${id}`, "steer", id));
      selectInboxStores(database).leases.acquire(createLeaseRequest("someone", { sessionId: id }));
      const proposal = { sessionId: id, kind: "let-go", urgency: "waits", output: null } as const;
      database.proposals.add(proposal, 3);
    }
    const driver = openDriver(path);
    expect(rowCounts(driver)).toMatchObject({
      session: 2,
      epoch: 4,
      entry: 2,
      turn: 4,
      session_input: 2,
      proposal: 2,
    });
    database.sessions.remove(session);
    expect(rowCounts(driver)).toMatchObject({
      session: 1,
      epoch: 2,
      entry: 1,
      turn: 2,
      session_input: 1,
      proposal: 1,
    });
    database.sessions.remove(otherSession);
    expect(Object.values(rowCounts(driver))).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(database.ledger.commit(firstCommit())).toEqual({ kind: "committed" });
    driver.close();
  });

  test("an unknown session is removed without a word", () => {
    opened().sessions.remove("ses_unknown" as SessionId);
  });
});
