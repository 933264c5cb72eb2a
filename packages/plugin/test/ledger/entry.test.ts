import { describe, expect, test } from "bun:test";
import type { Edit } from "../../src/ledger/edit.ts";
import { type Entry, findActiveEntries } from "../../src/ledger/entry.ts";
import { assistant, deepFreeze, done, fold, insert, omit, replace, text, user } from "./history.ts";

const messages = deepFreeze([
  user("u1", text("one")),
  assistant("a1", text("ok"), done("c1", "long")),
  user("u2", text("two")),
  assistant("a2", text("ok")),
]);

function entry(seq: number, edit: Edit | null, place: Partial<Entry> = {}): Entry {
  return {
    ...{ seq, origin: "test", edit, messageId: "a1", partId: null, announced: [], delta: {} },
    ...place,
  };
}

/** The host showed something in the result of the first answer. */
const witness = entry(1, null, { partId: "a1.1" });

function standing(...entries: readonly Entry[]): readonly number[] {
  return findActiveEntries(entries, messages).entries.map(({ seq }) => seq);
}

describe("I28: an entry stands if replay shows it", () => {
  test("an update in a folded range does not, the fold does", () => {
    expect(standing(entry(1, insert("u2", "news")))).toEqual([1]);
    expect(standing(entry(1, insert("u2", "news")), entry(2, fold("u1", "u2", "so far")))).toEqual([
      2,
    ]);
  });

  test("a replacement that a later one takes the place of does not", () => {
    expect(standing(entry(1, replace("a1.1", "a")), entry(2, replace("a1.1", "b")))).toEqual([2]);
  });

  test("what the host showed does, as long as its part is sent as the host has it", () => {
    expect(standing(witness)).toEqual([1]);
    expect(standing(witness, entry(2, replace("a1.1", "dropped")))).toEqual([2]);
    expect(standing(witness, entry(2, omit("a1.1")))).toEqual([2]);
    expect(standing(witness, entry(2, fold("u1", "a1", "so far")))).toEqual([2]);
  });

  test("what the host showed in a part that is gone does not", () => {
    expect(standing(entry(1, null, { partId: "a1.9" }))).toEqual([]);
    expect(standing(entry(1, null, { messageId: "a9", partId: "a1.1" }))).toEqual([]);
  });

  test("an undo on record is shown by nothing", () => {
    expect(standing(entry(1, null))).toEqual([]);
  });

  test("the projection is what is sent with all of them", () => {
    const { projection } = findActiveEntries([entry(1, fold("u1", "u2", "so far"))], messages);
    expect(projection.messages).toHaveLength(2);
    expect(findActiveEntries([], messages).projection.messages).toBe(messages);
  });
});
