// Records of realistic size for the storage benchmark.
import { toSourceKey } from "@session-runtime/opencode/context/key";
import type { LedgerCommit } from "@session-runtime/opencode/storage/ledger-store";
import type { SessionId, TurnOutcome } from "@session-runtime/opencode/storage/records";
import type { TurnRecord } from "@session-runtime/opencode/storage/turn-store";

/** As long as the host's ids are. */
export const BENCH_SESSION = "ses_5f1c0a7d2ffeQx8Zk3mB9rT1vL" as SessionId;

const USAGE = {
  inputTokens: 12,
  outputTokens: 340,
  cacheReadTokens: 56_000,
  cacheWriteTokens: 780,
};

/** The report of the call of a turn. */
export function outcome(turn: number): TurnOutcome {
  return { usage: USAGE, cost: null, bust: null, sentAtMs: turnRecord(turn).sentAtMs };
}

const STARTED_AT_MS = 1_750_000_000_000;
const instructions = toSourceKey("core/instructions");
const HASH = "00112233445566ff";

export function epochCommit(): LedgerCommit {
  const baseline = "Instructions from: /project/AGENTS.md\n- Keep steps small.\n".repeat(100);
  return {
    sessionId: BENCH_SESSION,
    expectedSeq: 0,
    epoch: {
      sessionId: BENCH_SESSION,
      seq: 1,
      cause: "first",
      location: { directory: "/project", worktree: "/project" },
      startMessageId: null,
      baseline,
      parts: [{ key: instructions, text: baseline }],
      snapshot: { [instructions]: { hash: HASH, json: JSON.stringify(baseline), removed: null } },
      startedAtMs: STARTED_AT_MS,
    },
    entries: [],
  };
}

/** One update of a kilobyte, announced in mid-conversation. */
export function updateCommit(expectedSeq: number): LedgerCommit {
  const seq = expectedSeq + 1;
  const text = `<system-update>\n${"- Since this edit: be brief.\n".repeat(35)}</system-update>`;
  const anchor = { messageId: messageId(seq, "u"), partId: `prt_${messageId(seq, "u")}` };
  return {
    sessionId: BENCH_SESSION,
    expectedSeq,
    epoch: null,
    entries: [
      {
        sessionId: BENCH_SESSION,
        seq,
        epochSeq: 1,
        ...{ messageId: messageId(seq, "x"), partId: `prt_${messageId(seq, "x")}` },
        ...{ origin: "announce-update", endMessageId: null },
        edit: { verb: "insert", after: anchor, text },
        announced: [{ key: instructions, text }],
        delta: { [instructions]: { hash: HASH, json: JSON.stringify(text), removed: null } },
        decidedAtMs: STARTED_AT_MS + seq,
      },
    ],
  };
}

export function turnRecord(turn: number): Omit<TurnRecord, "seq" | "usage" | "cost"> {
  const digest = turn.toString(16).padStart(16, "0");
  return {
    sessionId: BENCH_SESSION,
    epochSeq: 1,
    providerId: "anthropic",
    modelId: "claude-sonnet-4-5",
    agent: "build",
    sentAtMs: STARTED_AT_MS + turn,
    newMessageIds: [messageId(turn, "u"), messageId(turn, "a")],
    digests: {
      tools: digest,
      preamble: digest,
      baseline: digest,
      live: digest,
      history: digest,
      historyAtWatermark: digest,
    },
    bust: null,
  };
}

function messageId(number: number, kind: string): string {
  return `msg_${number.toString(16).padStart(12, "0")}${kind}Qx8Zk3mB9rT1v`;
}
