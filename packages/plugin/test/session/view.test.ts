import { describe, expect, test } from "bun:test";
import { classifyHead, type SessionMessage } from "../../src/session/history.ts";
import { selectShown, type ViewInput, viewSession } from "../../src/session/view.ts";
import type { EntryRecord } from "../../src/storage/ledger-table.ts";
import { assistant, insert, text, user } from "../ledger/history.ts";
import { entryRecord, epochRecord } from "../storage/records.ts";

const messages = [
  user("u1", text("one")),
  assistant("a1", text("done")),
  user("u2", text("two")),
] as unknown as readonly SessionMessage[];

/** An update after this message. */
function entry(seq: number, epochSeq: number, after: string): EntryRecord {
  return { ...entryRecord(seq, epochSeq), messageId: after, edit: insert(after, `News ${seq}.`) };
}

function createView(changes: Partial<ViewInput>) {
  const ledger = { epochs: [epochRecord(1)], entries: [], damagedSeqs: [] };
  const { location } = epochRecord(1);
  const input = { ledger, messages, held: messages, location, lastEpochSeq: 1, ...changes };
  return viewSession({ ...input, head: classifyHead(input.messages) });
}

describe("what an epoch's entries amount to", () => {
  test("where all of them stand: that is what is on record, too, and nothing is withdrawn", () => {
    const ledger = {
      epochs: [epochRecord(1)],
      entries: [entry(2, 1, "u1"), entry(3, 1, "u2")],
      damagedSeqs: [],
    };
    const view = createView({ ledger });
    expect([view.withdrawn, view.shown.length]).toEqual([0, 2]);
    expect(view.recorded).toBe(view.snapshot);
  });

  test("where an undo has taken the place of one: less is told than is on record", () => {
    const ledger = {
      epochs: [epochRecord(1)],
      entries: [entry(2, 1, "u1"), entry(3, 1, "gone")],
      damagedSeqs: [],
    };
    const view = createView({ ledger });
    expect([view.withdrawn, view.shown.length]).toEqual([1, 1]);
    expect(view.recorded).not.toEqual(view.snapshot);
  });
});

test("what an epoch that is over has told stands for nothing, though its place is there", () => {
  const epochs = [epochRecord(1), { ...epochRecord(2), startMessageId: null }];
  const ledger = { epochs, entries: [entry(3, 1, "u1"), entry(4, 2, "u2")], damagedSeqs: [] };
  const view = createView({ ledger, lastEpochSeq: 2 });
  expect(view.shown.map(({ seq }) => seq)).toEqual([4]);
  expect([view.standing.length, view.withdrawn]).toEqual([1, 0]);
});

describe("why an epoch is due", () => {
  const { location } = epochRecord(1);
  for (const [what, here] of [
    ["directory", { ...location, directory: "/elsewhere" }],
    ["worktree", { ...location, worktree: "/elsewhere" }],
  ] as const) {
    test(`the session has moved: another ${what}`, () => {
      expect(createView({ location: here }).opening).toBe("moved");
    });
  }

  test("it is not, where the session has stayed", () => {
    expect(createView({}).opening).toBeNull();
  });
});

describe("after a compaction whose epoch is due", () => {
  const summary = {
    info: { id: "s1", sessionID: "ses", role: "assistant", parentID: "c1", summary: true },
    parts: [],
  };
  const finished = { ...summary, info: { ...summary.info, finish: "stop" } };
  const compacted = [user("c1", { type: "compaction" }), finished, ...messages] as never;

  test("the former epoch is the last call's, though its start has left the history", () => {
    const ledger = { epochs: [epochRecord(1), epochRecord(2)], entries: [], damagedSeqs: [] };
    const view = createView({ ledger, messages: compacted, held: compacted, lastEpochSeq: 2 });
    expect([view.epoch?.seq, view.opening, view.startMessageId]).toEqual([2, "compacted", "s1"]);
  });

  test("all that the epoch has told counts as told, though its places have left the history", () => {
    const ledger = {
      epochs: [epochRecord(1)],
      entries: [entry(2, 1, "gone"), entry(3, 1, "u1")],
      damagedSeqs: [],
    };
    const view = createView({ ledger, messages: compacted, held: compacted });
    expect(view.shown.map(({ seq }) => seq)).toEqual([3]);
    expect([view.standing.length, view.withdrawn]).toEqual([2, 0]);
  });

  test("a compaction that failed leaves the last call's epoch, though its start has left the history", () => {
    const broken = [user("c1", { type: "compaction" }), summary, ...messages] as never;
    const epochs = [epochRecord(1), { ...epochRecord(2), startMessageId: "gone" }];
    const ledger = { epochs, entries: [], damagedSeqs: [] };
    const view = createView({ ledger, messages: broken, held: broken, lastEpochSeq: 2 });
    expect([view.epoch?.seq, view.opening]).toEqual([2, null]);
  });

  test("it is the newest one whose start stands where no call was sent, or its epoch is gone", () => {
    const ledger = { epochs: [epochRecord(1), epochRecord(2)], entries: [], damagedSeqs: [] };
    for (const lastEpochSeq of [null, 7]) {
      const view = createView({ ledger, messages: compacted, held: compacted, lastEpochSeq });
      expect(view.epoch?.seq).toBe(1);
    }
  });
});

test("in a report, an entry of an epoch that is over stands for nothing, though its place is there", () => {
  const epochs = [epochRecord(1), { ...epochRecord(2), startMessageId: "u2" }];
  const entries = [entry(3, 1, "u1"), entry(4, 2, "u2")];
  expect(selectShown({ epochs, entries }, messages)).toEqual({
    epochSeq: 2,
    entrySeqs: new Set([4]),
    messageIds: new Set(messages.map(({ info }) => info.id)),
  });
});
