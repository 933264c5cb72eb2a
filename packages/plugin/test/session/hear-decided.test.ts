import { expect, test } from "bun:test";
import type { Edit } from "../../src/ledger/edit.ts";
import type { BoundaryInputs } from "../../src/ledger/entry.ts";
import { toDecisionEvent } from "../../src/session/call-deps.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import { insert, replace } from "../ledger/history.ts";
import { entryRecord } from "../storage/records.ts";

const entry = (seq: number, epochSeq: number, edit: Edit | null): EntryRecord => ({
  ...entryRecord(seq, epochSeq),
  edit,
});
const [drop, news, more] = [
  replace("a1.0", "[gone]"),
  insert("u1", "News."),
  insert("u2", "More."),
];

/** What is heard of these entries, stored after the former ones. */
function heard(
  former: BoundaryInputs["former"],
  epochSeq: number,
  ...entries: readonly EntryRecord[]
) {
  const news = toDecisionEvent({ epochSeq, atMs: 7, entries }, former);
  if (!news) return [];
  expect([news.epochSeq, news.atMs]).toEqual([epochSeq, 7]);
  return [[news.entries, news.standing] as const];
}

test("within an epoch what was added is new, and all that stood stands with it", () => {
  const former = [entry(2, 1, drop)];
  const added = entry(3, 1, news);
  expect(heard(former, 1, added)).toEqual([[[added], [...former, added]]]);
});

test("in a new epoch what was carried over is not new, and what stood before stands no more", () => {
  const former = [entry(2, 1, drop), entry(3, 1, news)];
  const [carried, fresh, witness] = [entry(5, 4, drop), entry(6, 4, more), entry(7, 4, null)];
  expect(heard(former, 4, carried, fresh, witness)).toEqual([
    [
      [fresh, witness],
      [carried, fresh, witness],
    ],
  ]);
});

test("of an epoch among others its own entries decide whether it goes on", () => {
  const former = [entry(2, 1, drop), entry(5, 4, news)];
  const added = entry(6, 4, more);
  expect(heard(former, 4, added)).toEqual([[[added], [...former, added]]]);
});

test("an undo on record is no edit that could be carried over", () => {
  const former = [entry(2, 1, null)];
  const witness = entry(3, 1, null);
  expect(heard(former, 1, witness)).toEqual([[[witness], [...former, witness]]]);
});

test("nothing is heard where nothing was added", () => {
  expect(heard([entry(2, 1, drop)], 4, entry(5, 4, drop))).toEqual([]);
  expect(heard([], 1)).toEqual([]);
});
