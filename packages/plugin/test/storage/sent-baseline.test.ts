import { expect, test } from "bun:test";
import { hashText } from "../../src/context/canonical.ts";
import { checkSentBaseline } from "../../src/storage/sent-baseline.ts";
import type { TurnRecord } from "../../src/storage/turn-store.ts";
import { epochRecord, session, turnRecord } from "./records.ts";
import { storageErrorOf } from "./workspace.ts";

const ledger = { epochs: [epochRecord(1), epochRecord(3)], entries: [] };

function turnOf(epochSeq: number, baseline: string): TurnRecord {
  const turn = turnRecord(10, epochSeq);
  const digests = { ...turn.digests, baseline: hashText(baseline) };
  return { ...turn, digests, seq: 1, usage: null, cost: null };
}

test("a Baseline that is not the text that the newest call sent is told as corrupt, by its epoch", () => {
  const check = (turn: TurnRecord | null) => () => checkSentBaseline(session, ledger, turn);
  expect(check(turnOf(3, epochRecord(3).baseline))).not.toThrow();
  const { code, message } = storageErrorOf(check(turnOf(3, "Another text.")));
  expect(code).toBe("corrupt");
  expect(message).toContain("epoch (ses_one, 3): baseline is not the text that was sent");
});

test("nothing follows where no call was sent, or its epoch is not there", () => {
  const check = (turn: TurnRecord | null) => () => checkSentBaseline(session, ledger, turn);
  expect(check(null)).not.toThrow();
  expect(check(turnOf(2, "Another text."))).not.toThrow();
});
