import { describe, expect, test } from "bun:test";
import { TurnRecorder } from "../../src/session/turn-recorder.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { firstCommit, session, usage } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();
const MODEL = "anthropic/claude-opus-5";

function stage() {
  const database = workspace.open(workspace.path(), openBunDriver);
  database.ledger.commit(firstCommit());
  const recorder = new TurnRecorder({
    database: () => database,
    cacheTtlMs: 300_000,
    defer: () => undefined,
    report: (error) => {
      throw error;
    },
  });
  const send = (startedAtMs: number) =>
    recorder.record({
      sessionId: session,
      epochSeq: 1,
      facts: {
        ...{ agent: "build", providerId: "anthropic", modelId: "claude-opus-5" },
        ...{
          ownSystem: null,
          structuredNote: "absent",
          messages: [],
          unsentIds: [],
          historyIds: [],
          startedAtMs,
        },
      },
      system: { preamble: "", baseline: "", live: "" },
      formerEnd: -1,
      newMessageIds: [],
    });
  const report = (begunAtMs: number, cacheReadTokens: number) =>
    recorder.settle({
      sessionId: session,
      model: MODEL,
      usage: { ...usage, cacheReadTokens },
      begunAtMs,
    });
  /** Oldest first. */
  const stored = () => database.turns.recent(session, 9).toReversed();
  return { recorder, send, report, stored };
}

describe("the figures of a turn", () => {
  test("go to the call that they are of, also when the next one is on its way", () => {
    const { send, report, stored } = stage();
    send(1_000);
    send(2_000);
    report(950, 7);
    report(1_950, 8);
    expect(stored().map((turn) => turn.usage?.cacheReadTokens)).toEqual([7, 8]);
  });

  test("M6: updates that go back to text are named as the cause, over what the figures alone say", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    report(950, 100_000);
    send(2_000);
    recorder.fellBack(session, MODEL, "place");
    report(1_950, 0);
    send(3_000);
    report(2_950, 100_000);
    expect(stored().map(({ bust }) => bust)).toEqual([
      null,
      "an update went back to text: a later message made its place one that the provider's own role may not have",
      null,
    ]);
  });

  test("M6: a refusal of the role is named, and of another model's call it says nothing", () => {
    const { recorder, send, report, stored } = stage();
    send(1_000);
    recorder.fellBack(session, "anthropic/claude-sonnet-5", "refused");
    report(950, 1);
    send(2_000);
    recorder.fellBack(session, MODEL, "refused");
    report(1_950, 1);
    expect(stored().map(({ bust }) => bust)).toEqual([
      null,
      "updates went back to text: the provider refused them in its own role",
    ]);
  });
});
