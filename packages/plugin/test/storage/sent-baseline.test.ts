import { expect, test } from "bun:test";
import { hashText } from "../../src/context/canonical.ts";
import type { StorageError } from "../../src/storage/errors.ts";
import { dropMismatchedBaseline, type TurnRecord } from "../../src/storage/turn-store.ts";
import { epochRecord, session, turnRecord } from "./records.ts";

const ledger = { epochs: [epochRecord(1), epochRecord(3)], entries: [], damagedSeqs: [] };

function createTurn(epochSeq: number, baseline: string): TurnRecord {
  const turn = turnRecord(10, epochSeq);
  const digests = { ...turn.digests, baseline: hashText(baseline) };
  return { ...turn, digests, seq: 1, usage: null, cost: null };
}

function checked(newestTurn: TurnRecord | null) {
  const found: StorageError[] = [];
  const damaged = (error: StorageError) => void found.push(error);
  return { ...dropMismatchedBaseline(session, ledger, { newestTurn, damaged }), found };
}

test("an epoch whose Baseline is not the text that the newest call sent is reported as corrupt, and left out", () => {
  expect(checked(createTurn(3, epochRecord(3).baseline))).toEqual({ ...ledger, found: [] });
  const { epochs, damagedSeqs, found } = checked(createTurn(3, "Another text."));
  expect(epochs).toEqual([epochRecord(1)]);
  expect(damagedSeqs).toEqual([3]);
  expect(found.map(({ code }) => code)).toEqual(["corrupt"]);
  expect(found[0]?.message).toContain("epoch (ses_one, 3): baseline is not the text that was sent");
});

test("nothing follows where no call was sent, or its epoch is not there", () => {
  expect(checked(null)).toEqual({ ...ledger, found: [] });
  expect(checked(createTurn(2, "Another text."))).toEqual({ ...ledger, found: [] });
});
