import { describe, expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import { computeCost, PER_CALL_RENDERING_HOST } from "../../src/session/turn-cost.ts";
import { TurnRecorder } from "../../src/session/turn-recorder.ts";
import { entryCommit, otherSession, session, usage } from "../storage/records.ts";
import { answerTo, fresh, MODEL, sentTurn, stage } from "./recorder-stage.ts";

describe("the figures of a turn", () => {
  test("go to the call that they are of, also when the next one is on its way", () => {
    const { send, report, stored } = stage();
    send(1_000);
    send(2_000);
    report(1_000, 7);
    report(2_000, 8);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([7, 8]);
  });

  test("go to no turn where the newest call has none: nothing of ours was sent in it", () => {
    const { begin, send, report, stored } = stage();
    send(1_000);
    begin();
    report(2_000, 7);
    report(1_000, 8);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([8]);
  });

  test("go to no turn of a session whose calls this process has forgotten", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    recorder.flush();
    recorder.forget(session);
    report(1_000, 7);
    expect(stored().map((turn) => turn.usage)).toEqual([null]);
  });

  test("are counted once, though the host tells of them twice", () => {
    const { database, send, report, stored } = stage();
    send(1_000);
    report(1_000, 7);
    let asked = 0;
    const { turns } = database;
    const get = () => {
      asked += 1;
      return turns;
    };
    Object.defineProperty(database, "turns", { get });
    report(1_000, 8);
    expect(asked).toBe(0);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([7]);
  });

  test("are those of the last call that can have made the message, however many there were", () => {
    const { send, report, stored } = stage();
    for (let call = 1; call <= 9; call += 1) send(call * 1_000);
    report(8_000, 8);
    report(9_000, 9);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([...Array(7), ...[8, 9]]);
  });

  test("are written with the turn itself, which is on disk once its call is out", () => {
    const { send, stored, deferred } = stage();
    send(1_000);
    expect(stored()).toEqual([]);
    for (const work of deferred) work();
    expect(stored()).toHaveLength(1);
    for (const work of deferred) work();
    expect(stored()).toHaveLength(1);
  });

  test("K3: a turn that can't be written is reported, and those after it are written", () => {
    const database = fresh();
    const reported: unknown[] = [];
    let isBroken = true;
    const recorder = new TurnRecorder({
      database: () => {
        if (isBroken) throw new Error("disk full");
        return database;
      },
      settings: { cacheTtlMs: 300_000 },
      toolTokens: new Map(),
      defer: () => undefined,
      storageWorks: () => undefined,
      storageFailed: (error) => void reported.push(error),
    });
    recorder.record(sentTurn(1_000));
    recorder.flush();
    isBroken = false;
    recorder.record(sentTurn(2_000));
    recorder.flush();
    expect(reported).toEqual([new Error("disk full")]);
    expect(database.turns.recent(session, 9).map(({ sentAtMs }) => sentAtMs)).toEqual([2_000]);
  });

  test("J3: what was saved counts as read what earlier calls had sent, for a model that caches by itself", () => {
    const price = { input: 10, output: 10, cacheRead: 1, cacheWrite: 0 } as const;
    for (const [caching, heldTokens] of [
      ["automatic", 100],
      ["breakpoints", 5_000],
    ] as const) {
      const { database, recorder, send, stored } = stage();
      const [entry] = entryCommit(1).entries;
      if (!entry) throw new Error("an entry");
      const announced = [{ key: toSourceKey("core/date"), text: "Today is Monday." }];
      database.ledger.commit({
        ...entryCommit(1),
        entries: [{ ...entry, announced, decidedAtMs: 1_000 }],
      });
      recorder.recordPrice(MODEL, { ...price, caching });
      const text = entry.edit?.verb === "insert" ? entry.edit.text : "";
      const update = [{ type: "text", text }];
      send(1_000, { replaced: { hidden: [], made: [{ info: {}, parts: update }] as never } });
      const settled = { ...usage, cacheReadTokens: 5_000 };
      const messageId = answerTo(1_000);
      recorder.settle({ sessionId: session, model: MODEL, usage: settled, paidUsd: 1, messageId });
      const updates = database.turns.updateBytes(session, 1_000);
      expect(updates.announced).toBeGreaterThan(0);
      const cost = computeCost({
        usage: settled,
        paidUsd: 1,
        price: { ...price, caching },
        heldTokens,
        updates,
        alone: PER_CALL_RENDERING_HOST,
        ownToolTokens: 0,
        ...{ droppedTokens: 0, newlyDroppedTokens: 0, rewrittenTokens: null },
      });
      expect(stored()[0]?.cost).toEqual(cost);
      expect(cost?.savedNanos).toBeGreaterThan(0);
    }
  });

  test("J3: tools of ours that a call offers are no saving; where it isn't seen which, they are those of the call before", () => {
    const { recorder, send, stored } = stage();
    recorder.recordPrice(MODEL, {
      input: 10,
      output: 10,
      cacheRead: 1,
      cacheWrite: 12,
      caching: "breakpoints",
    });
    recorder.recordTool("read", "Reads.");
    recorder.recordTool("ctx_test", "Tests.");
    for (const startedAtMs of [1_000, 2_000]) {
      send(startedAtMs);
      const messageId = answerTo(startedAtMs);
      recorder.settle({
        sessionId: session,
        model: MODEL,
        usage: { ...usage, cacheReadTokens: 9_000 },
        paidUsd: 1,
        messageId,
      });
    }
    // 50 tokens at the price of reading, as the stage has it.
    expect(stored().map(({ cost }) => cost?.savedNanos)).toEqual([-50_000, -50_000]);
  });

  test("I1: a read that was missed leaves the cause that was named at the send", () => {
    const { offer, send, report, stored } = stage();
    offer("read");
    send(1_000);
    report(1_000, 100_000);
    offer("read", "bash");
    send(2_000);
    report(2_000, 0);
    expect(stored().map(({ bust }) => bust)).toEqual([null, "the tool list changed"]);
  });

  test("M6: updates that go back to text are named as the cause, over what the figures alone say", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    report(1_000, 100_000);
    send(2_000);
    recorder.recordFallback(session, MODEL, "place");
    report(2_000, 0);
    send(3_000);
    report(3_000, 100_000);
    expect(stored().map(({ bust }) => bust)).toEqual([
      null,
      "an update went back to text: after a later message, the provider no longer accepts its own role there",
      null,
    ]);
  });

  test("M6: what was heard of a session goes with it, and nothing of another's", () => {
    for (const [gone, bust] of [
      [session, null],
      [otherSession, "updates went back to text: the provider refused them in its own role"],
    ] as const) {
      const { recorder, send, report, stored } = stage();
      recorder.recordFallback(session, MODEL, "refused");
      recorder.forget(gone);
      send(1_000);
      report(1_000, 1);
      expect(stored()[0]?.bust).toBe(bust);
    }
  });

  test("M6: a refusal of the role is named, and of another model's call it says nothing", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    recorder.recordFallback(session, "anthropic/claude-sonnet-5", "refused");
    report(1_000, 1);
    send(2_000);
    recorder.recordFallback(session, MODEL, "refused");
    report(2_000, 1);
    expect(stored().map(({ bust }) => bust)).toEqual([
      null,
      "updates went back to text: the provider refused them in its own role",
    ]);
  });
});
