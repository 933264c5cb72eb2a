import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type InboxDatabase, selectInboxStores } from "../../../src/features/inbox/inbox-deps.ts";
import type { RuntimeDatabase } from "../../../src/storage/database.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { dump } from "../../storage/dump.ts";
import { FaultPlan, forEachCrash, openWithFaults } from "../../storage/faults.ts";
import { otherSession, session } from "../../storage/records.ts";
import { catchStorageError, Workspace } from "../../storage/workspace.ts";
import { createLeaseRequest, createPrompt, inputRecord } from "./records.ts";

const workspace = new Workspace();

function withQueue(count: number): RuntimeDatabase {
  const database = workspace.open(workspace.path());
  for (let index = 0; index < count; index += 1) {
    selectInboxStores(database).inbox.admit(inputRecord(`q${index}`, "queue"));
  }
  return database;
}

const order = (database: RuntimeDatabase) =>
  selectInboxStores(database)
    .inbox.waiting(session, 0, 99)
    .map(({ id }) => id);

describe("inputs", () => {
  test("G3, G4: an id is admitted once; the same again is a retry, anything else a conflict", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    const first = inputRecord("msg_a", "steer");
    expect(inbox.admit(first).kind).toBe("admitted");
    expect(inbox.admit({ ...first, admittedAtMs: 99 })).toMatchObject({
      kind: "retry",
      record: { admittedAtMs: 10 },
    });
    expect(inbox.admit({ ...first, digest: "other" }).kind).toBe("conflict");
    expect(inbox.admit({ ...first, delivery: "queue" }).kind).toBe("conflict");
    expect(inbox.admit({ ...first, sessionId: otherSession }).kind).toBe("conflict");
    expect(inbox.admit(inputRecord("other", "steer", otherSession)).kind).toBe("admitted");
    expect(inbox.working(session)).toHaveLength(1);
  });

  test("G4: the message id of a queued input is taken, too", () => {
    const { inbox } = selectInboxStores(withQueue(1));
    expect(inbox.hand("q0", "msg_chosen", createPrompt("x"))).toBe("handed");
    expect(inbox.admit(inputRecord("msg_chosen", "steer")).kind).toBe("conflict");
    expect(inbox.admit(inputRecord("msg_chosen", "queue")).kind).toBe("conflict");
    expect(inbox.find("msg_chosen")?.id).toBe("q0");
  });

  test("G2: concurrent promotions mark it once: the first time stands", () => {
    const path = workspace.path();
    const connections = [1, 2, 3].map(() => selectInboxStores(workspace.open(path)));
    connections[0]?.inbox.admit(inputRecord("msg_a", "steer"));
    const marked = connections.map(({ inbox }, index) => inbox.promote(["msg_a"], 100 + index));
    expect(marked).toEqual([["msg_a"], [], []]);
    expect(connections[1]?.inbox.find("msg_a")?.promotedAtMs).toBe(100);
  });

  test("I16: the schema itself keeps a promotion from being changed", () => {
    const { driver, database } = workspace.withEpoch();
    selectInboxStores(database).inbox.admit(inputRecord("msg_a", "steer"));
    selectInboxStores(database).inbox.promote(["msg_a"], 100);
    for (const value of ["NULL", "200"]) {
      const change = `UPDATE session_input SET promoted_at_ms = ${value}`;
      expect(() => driver.exec(change)).toThrow("promoted once");
    }
  });

  test("G2: of two that take the next one of the queue, one gets it", () => {
    const path = workspace.path();
    const [one, two] = [workspace.open(path), workspace.open(path)];
    selectInboxStores(one).inbox.admit(inputRecord("q", "queue"));
    expect(selectInboxStores(one).inbox.hand("q", "msg_one", createPrompt("x"))).toBe("handed");
    expect(selectInboxStores(two).inbox.hand("q", "msg_two", createPrompt("x"))).toBe("gone");
    expect(selectInboxStores(two).inbox.find("q")?.messageId).toBe("msg_one");
  });

  test("a settled input's text is gone, its digest stays for retries", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    const input = inputRecord("msg_a", "steer");
    inbox.admit(input);
    inbox.settle("msg_a", "answered", 50);
    expect(inbox.prompt("msg_a")).toBeNull();
    expect(inbox.find("msg_a")).toMatchObject({ preview: "", promotedAtMs: 50 });
    expect(inbox.admit(input).kind).toBe("retry");
    inbox.settle("msg_a", "undone", 60);
    expect(inbox.find("msg_a")?.state).toBe("answered");
  });

  for (const over of ["answered", "dropped", "undone", "swallowed"] as const) {
    test(`I16: what is over as ${over} is not opened again, whatever comes late`, () => {
      const { inbox } = selectInboxStores(workspace.open(workspace.path()));
      inbox.admit(inputRecord("msg_a", "steer"));
      inbox.settle("msg_a", over, 50);
      const settled = inbox.find("msg_a");
      expect(inbox.promote(["msg_a"], 60)).toEqual([]);
      inbox.save(["msg_a"]);
      inbox.turnBack("msg_a");
      inbox.resolve("msg_a", createPrompt("x"));
      inbox.settle("msg_a", "recorded", 70);
      inbox.replace("msg_a", { messageId: "msg_b", prompt: createPrompt("x"), admittedAtMs: 80 });
      expect(inbox.hand("msg_a", "msg_a", createPrompt("x"))).toBe("gone");
      expect(inbox.edit("msg_a", "digest", "x", createPrompt("x"))).toBe("gone");
      expect(inbox.find("msg_a")).toEqual(settled);
      expect(inbox.find("msg_b")).toBeNull();
      expect(inbox.prompt("msg_a")).toBeNull();
      expect([...inbox.working(session), ...inbox.waiting(session, 0, 9)]).toEqual([]);
    });
  }

  test("G7: what was recorded is promoted by a later call, and its text is there until it is answered", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    inbox.admit(inputRecord("msg_a", "steer"));
    inbox.settle("msg_a", "recorded", 50);
    expect(inbox.working(session)).toEqual([]);
    expect(inbox.promote(["msg_a"], 60)).toEqual(["msg_a"]);
    expect(inbox.working(session).map(({ state }) => state)).toEqual(["promoted"]);
    expect(inbox.prompt("msg_a")).not.toBeNull();
  });

  test("one that was taken back can be forgotten, and then its id is free; no other can", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    inbox.admit(inputRecord("msg_a", "steer"));
    inbox.forget("msg_a");
    expect(inbox.find("msg_a")?.state).toBe("handed");
    inbox.settle("msg_a", "undone", 50);
    inbox.forget("msg_a");
    expect(inbox.admit({ ...inputRecord("msg_a", "queue"), digest: "other" }).kind).toBe(
      "admitted",
    );
  });

  test("texts with lone surrogates and NUL come back as they were", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    const prompt = createPrompt("a\ud800b\0c");
    inbox.admit({ ...inputRecord("msg_a", "steer"), prompt, preview: "a\ud800b" });
    expect(inbox.prompt("msg_a")).toEqual(prompt);
    expect(inbox.find("msg_a")?.preview).toBe("a\ud800b");
  });

  test("a queued input that is turned back has its place again, a steer is refused", () => {
    const database = withQueue(3);
    selectInboxStores(database).inbox.admit(inputRecord("msg_a", "steer"));
    selectInboxStores(database).inbox.hand("q0", "msg_q0", createPrompt("x"));
    selectInboxStores(database).inbox.turnBack("q0");
    selectInboxStores(database).inbox.turnBack("msg_a");
    expect(order(database)).toEqual(["q0", "q1", "q2"]);
    expect(
      selectInboxStores(database)
        .inbox.working(session)
        .map(({ state }) => state),
    ).toEqual(["refused"]);
    expect(selectInboxStores(database).inbox.hand("q0", "msg_q0", createPrompt("x"))).toBe(
      "handed",
    );
  });

  test("moves give the order that moving in a list gives", () => {
    const move = fc.record({ from: fc.nat(6), to: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 12 }), (moves) => {
        const database = withQueue(5);
        const expected = ["q0", "q1", "q2", "q3", "q4"];
        selectInboxStores(database).inbox.admit(inputRecord(`steer${Math.random()}`, "steer"));
        for (const { from, to } of moves) {
          const moved = selectInboxStores(database).inbox.move(session, from, to);
          expect(moved).toBe(from < 5 && to < 5 ? "moved" : "gone");
          if (moved === "moved") expected.splice(to, 0, ...expected.splice(from, 1));
          expect(order(database)).toEqual(expected);
        }
        database.close();
      }),
      { numRuns: 25 },
    );
  });

  test("I12: a directory's open sessions are its own", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    inbox.admit(inputRecord("msg_a", "steer"));
    inbox.admit(inputRecord("q", "queue"));
    inbox.admit({ ...inputRecord("msg_b", "steer", otherSession), directory: "/elsewhere" });
    expect(inbox.openSessions("/project", 10, 9)).toEqual([session]);
    inbox.settle("msg_a", "answered", 1);
    expect(inbox.openSessions("/project", 10, 9)).toEqual([session]);
    inbox.settle("q", "dropped", 1);
    expect(inbox.openSessions("/project", 10, 9)).toEqual([]);
  });

  test("sessions are open from before a moment where anything open, working or waiting, is as old", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    const openBy = (byMs: number) => inbox.openSessions("/project", byMs, 9);
    inbox.admit({ ...inputRecord("msg_a", "steer"), admittedAtMs: 11 });
    inbox.admit({ ...inputRecord("q1", "queue"), admittedAtMs: 12 });
    expect([openBy(10), openBy(11)]).toEqual([[], [session]]);
    inbox.admit({ ...inputRecord("q2", "queue"), admittedAtMs: 3 });
    expect([openBy(2), openBy(3)]).toEqual([[], [session]]);
  });

  test("the session with the newest admission comes first, and no more than asked for", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    inbox.admit({ ...inputRecord("msg_a", "steer"), admittedAtMs: 1 });
    inbox.admit({ ...inputRecord("msg_b", "steer", otherSession), admittedAtMs: 2 });
    expect(inbox.openSessions("/project", 9, 9)).toEqual([otherSession, session]);
    expect(inbox.openSessions("/project", 9, 1)).toEqual([otherSession]);
  });
});

describe("leases", () => {
  test("one owner at a time, until it is released or expires or its process is gone", () => {
    const { leases } = selectInboxStores(workspace.open(workspace.path()));
    expect(leases.acquire(createLeaseRequest("a"))).toBe("mine");
    expect(leases.acquire(createLeaseRequest("b"))).toBe("held");
    expect(leases.acquire(createLeaseRequest("a", { expiresAtMs: 300 }))).toBe("mine");
    leases.release(session, "b");
    expect(leases.acquire(createLeaseRequest("b", { nowMs: 299 }))).toBe("held");
    expect(leases.acquire(createLeaseRequest("b", { nowMs: 300, expiresAtMs: 400 }))).toBe("mine");
    const gone = { isProcessDead: (owner: string) => owner === "b" };
    expect(leases.acquire(createLeaseRequest("c", gone))).toBe("mine");
    leases.release(session, "c");
    expect(leases.acquire(createLeaseRequest("a"))).toBe("mine");
  });

  test("I12: leases of different sessions know nothing of each other", () => {
    const { leases } = selectInboxStores(workspace.open(workspace.path()));
    expect(leases.acquire(createLeaseRequest("a"))).toBe("mine");
    expect(leases.acquire(createLeaseRequest("b", { sessionId: otherSession }))).toBe("mine");
  });
});

type Write = (database: InboxDatabase) => unknown;

const writes: Readonly<Record<string, Write>> = {
  "an admission": ({ inbox }) => inbox.admit(inputRecord("msg_new", "steer")),
  "an admission into a new session": ({ inbox }) =>
    inbox.admit(inputRecord("msg_new", "steer", otherSession)),
  "a promotion": ({ inbox }) => inbox.promote(["msg_a"], 50),
  "a hand-over": ({ inbox }) => inbox.hand("q1", "msg_q1", createPrompt("x")),
  "a move": ({ inbox }) => inbox.move(session, 2, 0),
  "a replacement": ({ inbox }) =>
    inbox.replace("msg_a", { messageId: "msg_b", prompt: createPrompt("x"), admittedAtMs: 60 }),
  "a settlement": ({ inbox }) => inbox.settle("msg_a", "answered", 50),
  "a lease": ({ leases }) => leases.acquire(createLeaseRequest("a", { sessionId: otherSession })),
};

describe("a crash", () => {
  function dumpState(path: string): string {
    const driver = openBunDriver(path);
    const state = dump(driver);
    expect(driver.get("PRAGMA integrity_check")?.integrity_check).toBe("ok");
    driver.close();
    return state;
  }

  function prepared(plan: FaultPlan) {
    const path = workspace.path();
    const database = workspace.open(path, openWithFaults(openBunDriver, plan));
    selectInboxStores(database).inbox.admit(inputRecord("msg_a", "steer"));
    for (const id of ["q0", "q1", "q2"])
      selectInboxStores(database).inbox.admit(inputRecord(id, "queue"));
    plan.disarm();
    return { path, database };
  }

  for (const [title, write] of Object.entries(writes)) {
    test(`I16: at every storage call of ${title} leaves what was before it or after it`, () => {
      const plan = new FaultPlan();
      const calm = prepared(plan);
      const before = dumpState(calm.path);
      const earlier = plan.calls;
      write(selectInboxStores(calm.database));
      const calls = plan.calls - earlier;
      const after = dumpState(calm.path);
      expect(calls).toBeGreaterThan(0);
      forEachCrash(calls, (fault) => {
        const struck = new FaultPlan();
        const { path, database } = prepared(struck);
        struck.arm(fault);
        expect(catchStorageError(() => write(selectInboxStores(database))).cause).toBe(fault.error);
        database.close();
        expect([before, after]).toContain(dumpState(path));
      });
    });
  }

  test("a value that could not be read back is refused before it is written", () => {
    const { inbox } = selectInboxStores(workspace.open(workspace.path()));
    const prompt = { ...createPrompt("x"), form: "neither" as "given" };
    const error = catchStorageError(() => inbox.admit({ ...inputRecord("a", "steer"), prompt }));
    expect(error.code).toBe("failed");
    expect(inbox.find("a")).toBeNull();
  });
});
