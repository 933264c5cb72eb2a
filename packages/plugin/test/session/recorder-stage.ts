import type { PassFacts } from "../../src/session/pass.ts";
import { type SentTurn, TurnRecorder } from "../../src/session/turn-recorder.ts";
import { openBunDriver } from "../../src/storage/driver-bun.ts";
import { firstCommit, session, usage } from "../storage/records.ts";
import { Workspace } from "../storage/workspace.ts";

const workspace = new Workspace();
export const MODEL = "anthropic/claude-opus-5";

/** A hundred tokens. */
const BASELINE = "b".repeat(400);

export const answerTo = (sentAtMs: number) => `msg_answer_${sentAtMs}`;

export function fresh() {
  const database = workspace.open(workspace.path(), openBunDriver);
  database.ledger.commit(firstCommit());
  return database;
}

export function sentTurn(startedAtMs: number, to: Partial<PassFacts> = {}): SentTurn {
  return {
    sessionId: session,
    epochSeq: 1,
    facts: {
      ...{ agent: "build", providerId: "anthropic", modelId: "claude-opus-5" },
      ...{ ownSystem: null, structuredNote: "absent", messages: [], unsentIds: [] },
      ...{ historyIds: [], replaced: { made: [], hidden: [] }, rewrite: null, startedAtMs },
      ...to,
    },
    system: { preamble: "", baseline: BASELINE, live: "" },
    formerEnd: -1,
    newMessageIds: [],
  };
}

/** A process's recorder. */
export function stage(database = fresh()) {
  const deferred: (() => void)[] = [];
  const recorder = new TurnRecorder({
    database: () => database,
    settings: { cacheTtlMs: 300_000 },
    toolTokens: new Map([["ctx_test", 50]]),
    defer: (_session, work) => void deferred.push(work),
    storageWorks: () => undefined,
    storageFailed: (error) => {
      throw error;
    },
  });
  const history: string[] = [];
  let begun: "begun" | "sent" = "sent";
  /** The host asks for the history of a call, which has the answers to all calls before it. */
  const begin = () => {
    recorder.beginCall(session, [...history]);
    begun = "begun";
  };
  const send = (startedAtMs: number, to: Partial<PassFacts> = {}) => {
    if (begun === "sent") begin();
    begun = "sent";
    history.push(answerTo(startedAtMs));
    recorder.record(sentTurn(startedAtMs, to));
  };
  const report = (sentAtMs: number, cacheReadTokens: number) =>
    recorder.settle({
      sessionId: session,
      model: MODEL,
      usage: { ...usage, cacheReadTokens },
      paidUsd: 0,
      messageId: answerTo(sentAtMs),
    });
  /** The host describes these tools, and asks for the history of a call. */
  const offer = (...tools: readonly string[]) => {
    for (const tool of tools) recorder.recordTool(tool, `what ${tool} does`);
    begin();
  };
  /** Oldest first. */
  const stored = () => database.turns.recent(session, 9).toReversed();
  return { database, recorder, begin, send, report, offer, stored, deferred };
}
