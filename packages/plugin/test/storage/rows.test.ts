import { expect, test } from "bun:test";
import * as z from "zod";
import {
  brandedText,
  integer,
  json,
  knownValue,
  nullable,
  text,
} from "../../src/storage/column.ts";
import type { Driver, OpenDriver } from "../../src/storage/driver.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { noSessionRules, type RowOf, table } from "../../src/storage/table.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { otherSession, session } from "./records.ts";
import { catchStorageError } from "./workspace.ts";

const tasks = table(
  "task",
  {
    id: integer,
    sessionId: brandedText<SessionId>(),
    state: knownValue(["waiting", "running", "done"]),
    dueAtMs: integer,
    owner: nullable(text),
    isUrgent: knownValue([0, 1]),
    words: json<readonly string[]>(z.array(z.string())),
  },
  { key: ["id"], ...noSessionRules },
);

type Task = RowOf<typeof tasks>;

/** Notes what is asked of SQLite. */
function opened(openDriver: OpenDriver) {
  const driver = openDriver(":memory:");
  driver.exec(`CREATE TABLE task (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', due_at_ms INTEGER NOT NULL, owner TEXT,
    is_urgent INTEGER NOT NULL DEFAULT 0,
    words TEXT NOT NULL DEFAULT '[]', UNIQUE (session_id, due_at_ms)) STRICT;
    CREATE INDEX task_waiting ON task (session_id) WHERE state = 'waiting';`);
  const asked: string[] = [];
  const noted =
    (work: Driver["all"]): Driver["all"] =>
    (sql, ...binds) => {
      asked.push(sql);
      return work(sql, ...binds);
    };
  const rows = tasks.in({
    ...driver,
    all: noted(driver.all),
    run: noted(driver.run),
    erase: noted(driver.erase),
  });
  const add = (id: number, more: Partial<Task> = {}) =>
    rows.insert({ id, sessionId: session, dueAtMs: id, ...more });
  return { driver, rows, asked, add };
}

const ids = (found: readonly Task[]) => found.map(({ id }) => id);

describeOnEachDriver("a table's rows", (openDriver) => {
  test("are found by equal values, by null and by one of several", () => {
    const { rows, add } = opened(openDriver);
    add(1, { owner: "a" });
    add(2, { state: "running", owner: "b" });
    add(3, { state: "done" });
    add(4, { sessionId: otherSession });
    expect(ids(rows.list({}, "id"))).toEqual([1, 2, 3, 4]);
    expect(ids(rows.list({ sessionId: session, state: "waiting" }))).toEqual([1]);
    expect(ids(rows.list({ state: ["waiting", "running"] }, "id"))).toEqual([1, 2, 4]);
    expect(ids(rows.list({ owner: null }, "id"))).toEqual([3, 4]);
    expect(ids(rows.list({ id: [1, 3, 9], sessionId: session }, "id"))).toEqual([1, 3]);
    expect(ids(rows.list({ owner: ["b", "c"] }))).toEqual([2]);
    expect([rows.list({ state: [] }), rows.list({ id: [] })]).toEqual([[], []]);
    expect([rows.count({}), rows.count({ state: "done" }), rows.count({ id: 9 })]).toEqual([
      4, 1, 0,
    ]);
  });

  test("come in an order, so many as are asked for", () => {
    const { rows, add, asked } = opened(openDriver);
    add(1, { dueAtMs: 20 });
    add(2, { dueAtMs: 30, owner: "a" });
    add(3, { dueAtMs: 10, owner: "a" });
    expect(ids(rows.list({}, "dueAtMs"))).toEqual([3, 1, 2]);
    expect(ids(rows.list({}, "owner desc", "dueAtMs desc"))).toEqual([2, 3, 1]);
    expect(ids(rows.first(2, {}, "dueAtMs desc"))).toEqual([2, 1]);
    expect(asked.at(-1)).toEndWith(" LIMIT 2");
    expect(rows.find({}, "dueAtMs")?.id).toBe(3);
    expect(rows.find({ id: 9 })).toBeNull();
  });

  test("are read in part, by the same filters", () => {
    const { driver, add } = opened(openDriver);
    add(1, { owner: "a" });
    const owners = tasks.pick("owner").in(driver);
    expect(owners.list({ state: "waiting" })).toEqual([{ owner: "a" }]);
    expect(owners.find({ id: 2 })).toBeNull();
  });

  test("are put in with the schema's defaults, and give their key", () => {
    const { rows } = opened(openDriver);
    expect(rows.insert({ sessionId: session, dueAtMs: 5 })).toEqual({ id: 1 });
    const whole = {
      id: 1,
      sessionId: session,
      state: "waiting",
      dueAtMs: 5,
      owner: null,
      isUrgent: 0,
      words: [],
    };
    expect(rows.find({ id: 1 })).toEqual(whole as Task);
    expect(() => rows.insert({ sessionId: session, dueAtMs: 5 })).toThrow();
    expect(rows.insertNew({ sessionId: session, dueAtMs: 5 })).toBeNull();
    expect(rows.insertNew({ sessionId: session, dueAtMs: 6 })).toEqual({ id: 2 });
  });

  test("of the same key take what is given, and keep the rest", () => {
    const { rows, add, asked } = opened(openDriver);
    add(1, { owner: "a", words: ["x"] });
    rows.upsert({ id: 1, sessionId: session, dueAtMs: 7, state: "done" });
    rows.upsert({ id: 2, sessionId: session, dueAtMs: 8 });
    const upserted = String(asked.at(-1));
    expect(rows.list({}, "id").map(({ dueAtMs, state, owner }) => [dueAtMs, state, owner])).toEqual(
      [
        [7, "done", "a"],
        [8, "waiting", null],
      ],
    );
    // What hears of changes of a key hears of none.
    expect(upserted).toContain("SET session_id = excluded.session_id");
    // Another key that is taken is no reason to change the row that has it.
    expect(() => rows.upsert({ id: 3, sessionId: session, dueAtMs: 8 })).toThrow();
  });

  test("are changed and removed by a filter, which says which or how many there were", () => {
    const { rows, add } = opened(openDriver);
    for (const id of [1, 2, 3, 4]) add(id);
    expect(rows.update({ id: [1, 2] }, { state: "running", words: ["ran"] })).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    expect(rows.update({ id: 1, state: "done" }, { owner: "a" })).toEqual([]);
    expect(rows.find({ id: 2 })?.words).toEqual(["ran"]);
    expect(rows.update({ id: 2 }, { owner: null })).toEqual([{ id: 2 }]);
    expect(rows.delete({ state: "running" })).toBe(2);
    expect(rows.delete({ id: 1 })).toBe(0);
    expect(rows.erase({ id: 3 })).toBe(1);
    expect(ids(rows.list({}))).toEqual([4]);
    expect(rows.erase({})).toBe(1);
  });

  test("refuse a value that could not be read back, and name its column", () => {
    const { rows, add } = opened(openDriver);
    add(1);
    const wrong = { words: [1] } as unknown as Partial<Task>;
    const { code, message } = catchStorageError(() => rows.update({ id: 1 }, wrong));
    expect([code, message]).toEqual(["failed", "task.words: 0 (invalid_type) can't be stored."]);
  });

  test("lose no filter whose value is missing", () => {
    const { rows, add } = opened(openDriver);
    add(1);
    const missing = { id: undefined } as unknown as Parameters<typeof rows.delete>[0];
    // One driver finds nothing by it, the other throws.
    expect(() => expect(rows.delete(missing)).toBe(1)).toThrow();
    expect(rows.delete({ state: "x' OR '1'='1" as Task["state"] })).toBe(0);
    expect(rows.count({})).toBe(1);
  });

  test("are asked for in one text per filter, whatever its values; an index of some rows serves", () => {
    const { driver, rows, asked, add } = opened(openDriver);
    add(1);
    asked.length = 0;
    rows.list({ id: [1, 2], owner: "a" });
    rows.list({ id: [3], owner: "it's" });
    rows.list({ sessionId: session, state: "waiting" });
    expect(asked[0]).toBe(String(asked[1]));
    const [plan] = driver.all(`EXPLAIN QUERY PLAN ${asked[2]}`, session);
    expect(String(plan?.detail)).toContain("task_waiting");
    expect(ids(rows.list({ isUrgent: [0, 1], owner: null }))).toEqual([1]);
    expect(rows.count({ isUrgent: 1 })).toBe(0);
    rows.list({ isUrgent: 1 });
    expect(String(asked.at(-1))).toEndWith("is_urgent = 1");
  });
});
