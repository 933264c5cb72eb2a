import { describe, expect, test } from "bun:test";
import type { RuntimeDatabase } from "../../src/storage/database.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { schema } from "../schema.ts";
import { dump, dumpSchema } from "./dump.ts";
import { type Fault, FaultPlan, forEachCrash, openWithFaults, sqliteError } from "./faults.ts";
import {
  entryCommit,
  entryRecord,
  epochRecord,
  firstCommit,
  otherSession,
  outcome,
  session,
  turnRecord,
  usage,
} from "./records.ts";
import { catchStorageError, Workspace } from "./workspace.ts";

const workspace = new Workspace();

type Write = (database: RuntimeDatabase) => unknown;

const letGo = { kind: "let-go", urgency: "waits", output: { partIds: ["prt_1"] } } as const;
const several = [entryRecord(4, 3), entryRecord(5, 3), entryRecord(6, 1)];

const writes: Readonly<Record<string, Write>> = {
  "a session's first commit": ({ ledger }) => ledger.commit(firstCommit(otherSession)),
  "a commit of one entry": ({ ledger }) => ledger.commit(entryCommit(2)),
  "a commit of an epoch with entries": ({ ledger }) =>
    ledger.commit({ sessionId: session, expectedSeq: 2, epoch: epochRecord(3), entries: several }),
  "a commit that is lost": ({ ledger }) => ledger.commit(entryCommit(1)),
  "a commit that takes a proposal": ({ ledger }) => ledger.commit(entryCommit(2), [1]),
  "a proposal": ({ proposals }) => proposals.add({ ...letGo, sessionId: otherSession }, 5),
  "an appended turn": ({ turns }) => turns.append(turnRecord(20)),
  "a settled turn": ({ turns }) => turns.settle(session, outcome(10, usage, "tools changed")),
  "a removed session": ({ sessions }) => sessions.remove(session),
};

/** A database with a bit of everything, whose calls the plan counts. */
function prepared(plan: FaultPlan): { readonly path: string; readonly database: RuntimeDatabase } {
  const path = workspace.path();
  const database = workspace.open(path, openWithFaults(openBunDriver, plan));
  database.ledger.commit({ ...firstCommit(), entries: [entryRecord(2, 1)] });
  database.turns.append(turnRecord(10));
  database.proposals.add({ ...letGo, sessionId: session }, 5);
  plan.disarm();
  return { path, database };
}

function dumpState(path: string): string {
  const driver = openBunDriver(path);
  const state = dump(driver);
  driver.close();
  return state;
}

/** The states before and after an undisturbed write, and how many calls it makes. */
function undisturbed(write: Write) {
  const plan = new FaultPlan();
  const { path, database } = prepared(plan);
  const before = dumpState(path);
  write(database);
  return { calls: plan.calls, before, after: dumpState(path) };
}

function stateAfterCrash(write: Write, fault: Fault): string {
  const plan = new FaultPlan();
  const { path, database } = prepared(plan);
  plan.arm(fault);
  expect(catchStorageError(() => write(database)).cause).toBe(fault.error);
  database.close();
  workspace.open(path);
  return dumpState(path);
}

describe("a crash", () => {
  for (const [title, write] of Object.entries(writes)) {
    test(`K1, I7: at every storage call of ${title} leaves what was before it or after it`, () => {
      const { calls, before, after } = undisturbed(write);
      expect(calls).toBeGreaterThan(0);
      const found: string[] = [];
      forEachCrash(calls, (fault) => found.push(stateAfterCrash(write, fault)));
      expect(found.filter((state) => state !== before && state !== after)).toEqual([]);
      expect(found[0]).toBe(before);
      expect(found.at(-1)).toBe(after);
    });
  }

  test("K1, K4: at every storage call of a first opening leaves a file that opens whole", () => {
    const plan = new FaultPlan();
    const openDriver = openWithFaults(openBunDriver, plan);
    const fresh = workspace.path();
    workspace.open(fresh, openDriver);
    const { calls } = plan;
    const whole = dumpState(fresh);
    forEachCrash(calls, (fault) => {
      // A process that dies after one call leaves the file as one that dies before the next.
      const { atCall, strikes } = fault;
      if (strikes === "after" && atCall < calls && process.env.LONG !== "1") return;
      const path = workspace.path();
      plan.arm(fault);
      expect(catchStorageError(() => workspace.open(path, openDriver)).cause).toBe(fault.error);
      const { database, movedAside } = workspace.opened(path);
      expect(movedAside).toBeNull();
      expect(database.health().schemaVersion).toBe(schema.version);
      expect(dumpState(path)).toBe(whole);
    });
    expect(dumpSchema(openBunDriver(fresh)).flat().length).toBeGreaterThan(4);
  });
});

describe("an error that passes", () => {
  for (const code of ["SQLITE_BUSY", "SQLITE_FULL", "SQLITE_IOERR"] as const) {
    test(`K1: ${code} at any call of a commit leaves before or after, and the connection usable`, () => {
      const { calls } = undisturbed(({ ledger }) => ledger.commit(entryCommit(2)));
      for (let atCall = 1; atCall <= calls; atCall += 1) {
        const plan = new FaultPlan();
        const { database } = prepared(plan);
        plan.arm({ atCall, strikes: "before", afterwards: "works", error: sqliteError(code) });
        catchStorageError(() => database.ledger.commit(entryCommit(2)));
        expect(database.ledger.load(session).entries).toHaveLength(1);
        expect(database.ledger.commit(entryCommit(2))).toEqual({ kind: "committed" });
      }
    });
  }
});
