import { expect, test } from "bun:test";
import { measureHistory, measureParts } from "../../src/history/measured-history.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { type Entry, listEdits } from "../../src/ledger/entry.ts";
import { replay } from "../../src/ledger/replay.ts";
import { assistant, text, user } from "../ledger/history.ts";

const messages = Array.from({ length: 12 }, (_, index) => {
  const made = index % 3 === 0 ? user : assistant;
  return made(`m${index}`, text(`words of ${index}`));
});

const entry = (edit: Edit, index: number): Entry => ({
  seq: index + 1,
  origin: "history",
  edit,
  messageId: "",
  partId: null,
  announced: [],
  delta: {},
});

/** What each row is, and the host's messages that it stands for. */
function placesWith(...edits: readonly Edit[]): readonly string[] {
  const standing = edits.map(entry);
  const projected = replay(listEdits(standing), messages);
  const { rows } = measureHistory({ messages, projected, standing }, measureParts);
  return rows.map(({ kind, first, last }) => `${kind} ${first}-${last}`);
}

const fold = (first: number, last: number): Edit => {
  return { verb: "fold", first: `m${first}`, last: `m${last}`, text: "folded" };
};

test("rows know the place of what they stand for, wherever folds begin and end", () => {
  const own = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `own ${from + at}-${from + at}`);
  expect(placesWith()).toEqual(own(0, 11));
  expect(placesWith(fold(0, 9))).toEqual(["fold 0-9", ...own(10, 11)]);
  expect(placesWith(fold(0, 2))).toEqual(["fold 0-2", ...own(3, 11)]);
  expect(placesWith(fold(0, 4), fold(5, 8))).toEqual(["fold 0-4", "fold 5-8", ...own(9, 11)]);
  expect(placesWith(fold(1, 10))).toEqual([...own(0, 0), "fold 1-10", ...own(11, 11)]);
  expect(placesWith(fold(0, 11))).toEqual(["fold 0-11"]);
});

test("what is said between messages stands where the one before it does", () => {
  const after = { messageId: "m4", partId: null };
  const rows = placesWith(fold(0, 3), { verb: "insert", after, text: "news" });
  expect(rows.slice(0, 5)).toEqual(["fold 0-3", "own 4-4", "insert 4-4", "own 5-5", "own 6-6"]);
});

test("all rows together take what is sent, also where records are parts of a user's message", () => {
  const standing = [fold(1, 3), fold(5, 8)].map(entry);
  const projected = replay(listEdits(standing), messages);
  const { rows, totalTokens } = measureHistory({ messages, projected, standing }, measureParts);
  const sent = projected.reduce((sum, message) => sum + measureParts(message).tokens, 0);
  expect(rows.length).toBeGreaterThan(projected.length);
  expect(totalTokens).toBe(sent);
  expect(rows.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(sent);
});
