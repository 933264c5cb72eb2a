import { expect, test } from "bun:test";
import { selectInboxStores } from "../../src/features/inbox/inbox-deps.ts";
import { inputRecord } from "../features/inbox/records.ts";
import { describeOnEachDriver } from "./drivers.ts";
import { buildOverview, NOTHING } from "./overview-of.ts";
import {
  briefRecord,
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

describeOnEachDriver("overview store", (openDriver) => {
  test("says of a session what its own stores say", () => {
    const database = workspace.open(workspace.path(), openDriver);
    const { ledger, turns, briefs, forms, overview } = database;
    const { inbox } = selectInboxStores(database);
    const insert = entryRecord(2, 1);
    const text = 'Umlauts äöü, a pair \u{1f600}, half a pair \ud83d, a NUL \0 and "quotes"';
    const after = { messageId: "msg_3", partId: null };
    ledger.commit({
      ...firstCommit(),
      entries: [
        insert,
        {
          ...entryRecord(3, 1),
          partId: null,
          edit: { verb: "insert", after, text },
          announced: [],
        },
        { ...entryRecord(4, 1), edit: null, delta: {} },
        { ...entryRecord(5, 1), edit: { verb: "omit", at: { messageId: "m", partId: "p" } } },
        { ...entryRecord(6, 1), edit: { verb: "fold", first: "msg_1", last: "msg_2", text } },
      ],
    });
    ledger.commit({
      sessionId: session,
      expectedSeq: 6,
      epoch: { ...epochRecord(7), baseline: text, parts: [] },
      entries: [],
    });
    ledger.commit(firstCommit(otherSession));
    for (const sentAtMs of [10, 20, 30, 40]) {
      const modelId = sentAtMs === 20 ? "another" : "claude-sonnet-4-5";
      const bust = sentAtMs === 30 ? "the tool list changed" : null;
      turns.append({ ...turnRecord(sentAtMs, sentAtMs < 30 ? 1 : 7), modelId, bust });
      if (sentAtMs !== 40) turns.settle(session, outcome(sentAtMs, usage, null));
    }
    turns.append(turnRecord(50, 1, otherSession));
    briefs.append(briefRecord("msg_compaction"));
    briefs.append({ ...briefRecord("msg_later"), text, madeAtMs: 4_000 });
    inbox.admit(inputRecord("queued", "queue"));
    inbox.admit(inputRecord("msg_steer", "steer"));
    inbox.promote(["msg_steer"], 30);

    forms.decide(
      { sessionId: session, providerId: "anthropic", modelId: "claude-opus-5" },
      [{ entrySeq: 2, form: "native", cause: "first" }],
      30,
    );
    const expected = buildOverview({
      ledger: ledger.load(session),
      turns: turns
        .recent(session, 99)
        .map(({ digests: _, newMessageIds: __, ...figures }) => figures),
      brief: briefs.newest(session),
      inbox: { ...NOTHING.inbox, waiting: 1, promoted: 1 },
      forms: [{ entrySeq: 2, model: "anthropic/claude-opus-5", form: "native" }],
    });
    expect(overview.of(session, 9)).toEqual(expected);
    expect(expected.calls.map(({ readableTokens }) => readableTokens)).toEqual([
      5_678,
      5_678,
      null,
      null,
    ]);
  });

  test("gives the newest calls that were asked for, and totals and busts of all", () => {
    const { ledger, turns, overview } = workspace.open(workspace.path(), openDriver);
    ledger.commit(firstCommit());
    turns.append({ ...turnRecord(10), bust: "the tool list changed" });
    turns.append(turnRecord(20));
    const { calls, totals, busts } = overview.of(session, 1);
    expect(calls.map(({ seq }) => seq)).toEqual([2]);
    expect(busts.map(({ seq }) => seq)).toEqual([1]);
    expect(totals.calls).toBe(2);
  });

  test("says so where a brief has no stage, and where a Baseline is damaged", () => {
    const path = workspace.path();
    const { ledger, briefs, overview } = workspace.open(path, openDriver);
    ledger.commit(firstCommit());
    const brief = briefRecord("msg_compaction");
    briefs.append({ ...brief, essentials: { ...brief.essentials, stage: null } });
    expect(overview.of(session, 9).brief?.stage).toBeNull();
    const driver = openDriver(path);
    driver.exec("PRAGMA ignore_check_constraints = ON; DROP TRIGGER epoch_is_never_updated");
    driver.exec("UPDATE epoch SET baseline = 'not JSON'");
    driver.close();
    const { code, message } = catchStorageError(() => overview.of(session, 9));
    expect([code, message]).toEqual(["corrupt", expect.stringContaining("baseline (not JSON)")]);
  });

  test("is empty for a session that is not known", () => {
    const { overview } = workspace.open(workspace.path(), openDriver);
    expect(overview.of(session, 9)).toEqual(buildOverview(NOTHING));
  });
});
