import { describe, expect, test } from "bun:test";
import { createHistoryDraft, type NamedDraft } from "../../src/ledger/entry.ts";
import {
  addWaitingDrafts,
  buildSnapshotBefore,
  type PendingDrafts,
  selectActiveDrafts,
  selectUnrecorded,
  selectUnstored,
} from "../../src/session/pending-drafts.ts";
import type { SessionView } from "../../src/session/view.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import { assistant, done, insert, text, user } from "../ledger/history.ts";
import { entryRecord } from "../storage/records.ts";

const KEY = "core/nested-instructions/x";

/** What the host showed in a part; `json` is what it says. */
function witness(partId: string, json = "1"): NamedDraft {
  const anchor = { messageId: partId.slice(0, 2), partId };
  const delta = { [KEY]: { hash: "0", json, removed: null } } as never;
  return { origin: "record-shown", anchor, edit: null, announced: [], delta, proposal: null };
}

const reminder = (at: string): NamedDraft => {
  return { ...createHistoryDraft(insert(at, "A reminder.")), origin: "hold-reminders" };
};
const update: NamedDraft = {
  ...createHistoryDraft(insert("u1.0", "News.")),
  origin: "announce-update",
};
const waiting = (...drafts: readonly NamedDraft[]): PendingDrafts => ({
  epochSeq: 1,
  drafts,
  standing: drafts,
});

describe("drafts that could not be stored", () => {
  test("what the host has sent all the same waits; an update is drafted again", () => {
    const own = [witness("a1.0"), reminder("u1.0")];
    expect(selectUnstored(null, 1, [...own, update])).toEqual(waiting(...own));
  });

  test("a witness waits on with those of this boundary, a reminder for one boundary only", () => {
    const before = waiting(witness("a1.0"), reminder("u1.0"));
    const now = witness("a2.0");
    expect(selectUnstored(before, 1, [now])).toEqual(waiting(witness("a1.0"), now));
  });

  test("of what is drafted again the newer draft waits, once", () => {
    const before = waiting(witness("a1.0", "1"));
    expect(selectUnstored(before, 1, [witness("a1.0", "2")])).toEqual(
      waiting(witness("a1.0", "2")),
    );
  });

  test("what waited in another epoch waits no more", () => {
    const before = waiting(witness("a1.0"));
    expect(selectUnstored(before, 2, [])).toEqual({ epochSeq: 2, drafts: [], standing: [] });
  });

  test("without what another process has put on record in the same place and words", () => {
    const entries = [{ ...entryRecord(2, 1), messageId: "a1", partId: "a1.0", edit: null }];
    const left = [witness("a2.0"), { ...reminder("a1.0"), anchor: witness("a1.0").anchor }];
    const before = waiting(witness("a1.0"), ...left);
    expect(selectUnrecorded(before, entries as readonly EntryRecord[])).toEqual(waiting(...left));
  });

  test("stand where their part does; one that an undo has taken is kept and doesn't stand", () => {
    const messages = [user("u1", text("x")), assistant("a1", text("y"), done("c1", "z"))];
    const drafts = [witness("a1.1"), witness("a1.7"), witness("a2.0")];
    expect(selectActiveDrafts(waiting(...drafts), 1, messages)).toEqual({
      ...waiting(...drafts),
      standing: [witness("a1.1")],
    });
    const elsewhere = waiting(...drafts);
    expect(selectActiveDrafts(elsewhere, 2, messages)).toBe(elsewhere);
  });

  test("come first at the next boundary, without those that are drafted again there", () => {
    const before = waiting(witness("a1.0", "1"), witness("a2.0"));
    const now = [witness("a1.0", "2"), update];
    expect(addWaitingDrafts(before, 1, now)).toEqual([witness("a2.0"), ...now]);
    expect(addWaitingDrafts(before, 2, now)).toBe(now);
    expect(addWaitingDrafts(null, 1, now)).toBe(now);
  });

  test("count as told at a compaction of their epoch, as far as they stand and the host showed them", () => {
    const view = (opening: string | null, seq = 1) =>
      ({ opening, epoch: { seq }, snapshot: {} }) as unknown as SessionView;
    const unstored = waiting(witness("a1.0"), {
      ...reminder("u1.0"),
      delta: { "team/x": null } as never,
    });
    const told = witness("a1.0").delta;
    expect(buildSnapshotBefore(view("compacted"), unstored)).toEqual(told as never);
    expect(buildSnapshotBefore(view("model"), unstored)).toEqual({});
    expect(buildSnapshotBefore(view("compacted", 2), unstored)).toEqual({});
    expect(buildSnapshotBefore(view("compacted"), { ...unstored, standing: [] })).toEqual({});
  });
});
