import { expect, test } from "bun:test";
import type { OpenDriver } from "../../src/storage/driver.ts";
import { describeOnEachDriver } from "./drivers.ts";
import {
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

function withTwoSessions(openDriver: OpenDriver, path = workspace.path()) {
  const database = workspace.open(path, openDriver);
  database.ledger.commit(firstCommit());
  database.ledger.commit(firstCommit(otherSession));
  return database;
}

describeOnEachDriver("turn store", (openDriver) => {
  test("turns are ranked from 1 per session and told newest first", () => {
    const { turns } = withTwoSessions(openDriver);
    turns.append(turnRecord(10));
    turns.append(turnRecord(15, 1, otherSession));
    turns.append({ ...turnRecord(20), bust: "tools changed", newMessageIds: [] });
    expect(turns.recent(session, 9)).toEqual([
      {
        ...turnRecord(20),
        seq: 2,
        bust: "tools changed",
        newMessageIds: [],
        usage: null,
        cost: null,
      },
      { ...turnRecord(10), seq: 1, usage: null, cost: null },
    ]);
    expect(turns.recent(session, 1).map((turn) => turn.seq)).toEqual([2]);
    expect(turns.recent(otherSession, 9).map((turn) => turn.seq)).toEqual([1]);
    expect(turns.recent(session, 0)).toEqual([]);
  });

  test("a turn sent at the same moment is not written twice", () => {
    const { turns } = withTwoSessions(openDriver);
    turns.append(turnRecord(10));
    turns.append({ ...turnRecord(10), agent: "plan" });
    turns.append(turnRecord(10, 1, otherSession));
    expect(turns.recent(session, 9)).toEqual([
      { ...turnRecord(10), seq: 1, usage: null, cost: null },
    ]);
    expect(turns.recent(otherSession, 9)).toHaveLength(1);
  });

  test("a turn of an epoch that is not stored is refused", () => {
    const { turns } = withTwoSessions(openDriver);
    expect(catchStorageError(() => turns.append(turnRecord(10, 2))).code).toBe("failed");
  });

  test("a digest that is not 16 hex digits is refused", () => {
    const { turns } = withTwoSessions(openDriver);
    const turn = turnRecord(10);
    const { tools } = turn.digests;
    for (const digest of ["abc", `${tools}0`, `x${tools}`, tools.replace(/.$/, "g")]) {
      const wrong = { ...turn, digests: { ...turn.digests, tools: digest } };
      expect(catchStorageError(() => turns.append(wrong)).message).toContain("tools");
    }
  });

  test("settle gives the newest turn its usage", () => {
    const { turns } = withTwoSessions(openDriver);
    turns.append(turnRecord(10));
    turns.append(turnRecord(20));
    turns.append(turnRecord(30, 1, otherSession));
    turns.settle(session, outcome(20, usage, "tools changed"));
    expect(turns.recent(session, 9).map((turn) => [turn.usage, turn.bust])).toEqual([
      [usage, "tools changed"],
      [null, null],
    ]);
    expect(turns.recent(otherSession, 1)[0]?.usage).toBeNull();
  });

  test("a report that comes when the next turn is written already is still that of its own", () => {
    const { turns } = withTwoSessions(openDriver);
    for (const sentAtMs of [10, 20]) turns.append(turnRecord(sentAtMs));
    turns.settle(session, {
      usage,
      cost: null,
      bust: { kind: "known", cause: "late" },
      sentAtMs: 10,
    });
    turns.settle(session, {
      usage: { ...usage, inputTokens: 99 },
      cost: null,
      bust: null,
      sentAtMs: 20,
    });
    expect(turns.recent(session, 9).map((turn) => [turn.usage, turn.bust])).toEqual([
      [{ ...usage, inputTokens: 99 }, null],
      [usage, "late"],
    ]);
  });

  test("a second report of usage changes nothing, on no turn", () => {
    const { turns } = withTwoSessions(openDriver);
    turns.append(turnRecord(10));
    turns.append(turnRecord(20));
    turns.settle(session, outcome(20, usage, null));
    turns.settle(session, outcome(20, { ...usage, inputTokens: 99 }, "late"));
    expect(turns.recent(session, 9).map((turn) => [turn.usage, turn.bust])).toEqual([
      [usage, null],
      [null, null],
    ]);
  });

  test("a settlement without a bust leaves the one that was known at the send", () => {
    const { turns } = withTwoSessions(openDriver);
    turns.append({ ...turnRecord(10), bust: "preamble changed" });
    turns.settle(session, outcome(10, usage, null));
    expect(turns.recent(session, 1)[0]?.bust).toBe("preamble changed");
  });

  test("a guess stands where nothing was named at the send, and nowhere else", () => {
    const { turns } = withTwoSessions(openDriver);
    const bust = { kind: "guessed", cause: "not seen here" } as const;
    turns.append({ ...turnRecord(10), bust: "preamble changed" });
    turns.settle(session, { usage, cost: null, bust, sentAtMs: 10 });
    turns.append(turnRecord(20));
    turns.settle(session, { usage, cost: null, bust, sentAtMs: 20 });
    expect(turns.recent(session, 2).map((turn) => turn.bust)).toEqual([
      "not seen here",
      "preamble changed",
    ]);
  });

  test("a settlement of a session without turns does nothing", () => {
    const { turns } = withTwoSessions(openDriver);
    turns.settle(session, outcome(10, usage, null));
    expect(turns.recent(session, 9)).toEqual([]);
  });

  test("sentMessageIds tells every message that an epoch's turns have sent", () => {
    const database = withTwoSessions(openDriver);
    const { ledger, turns } = database;
    ledger.commit({ sessionId: session, expectedSeq: 1, epoch: epochRecord(2), entries: [] });
    turns.append({ ...turnRecord(10), newMessageIds: ["a", "b"] });
    turns.append({ ...turnRecord(20), newMessageIds: [] });
    turns.append({ ...turnRecord(30), newMessageIds: ["b", "c"] });
    turns.append({ ...turnRecord(40, 2), newMessageIds: ["d"] });
    turns.append({ ...turnRecord(50, 1, otherSession), newMessageIds: ["e"] });
    expect([...turns.sentMessageIds(session, 1)]).toEqual(["a", "b", "c"]);
    expect([...turns.sentMessageIds(session, 2)]).toEqual(["d"]);
    expect([...turns.sentMessageIds(session, 3)]).toEqual([]);
  });

  test("I12: a turn that does not decode is told as corrupt by its key and costs no other session", () => {
    const path = workspace.path();
    const { turns } = withTwoSessions(openDriver, path);
    turns.append(turnRecord(10));
    turns.append(turnRecord(20, 1, otherSession));
    const driver = openDriver(path);
    driver.run("UPDATE turn SET new_message_ids = '[1]' WHERE session_id = ?", session);
    driver.close();
    for (const reading of [
      () => turns.recent(session, 1),
      () => turns.sentMessageIds(session, 1),
    ]) {
      const error = catchStorageError(reading);
      expect(error.code).toBe("corrupt");
      expect(error.message).toContain("turn (ses_one, 1)");
    }
    expect(turns.recent(otherSession, 1)).toHaveLength(1);
  });
});
