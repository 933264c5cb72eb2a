import { describe, expect, test } from "bun:test";
import { isAdmissible } from "../../src/ledger/admission.ts";
import { type Boundary, findWatermark } from "../../src/ledger/boundary.ts";
import { editSchema } from "../../src/ledger/edit.ts";
import { isTool } from "../../src/ledger/message.ts";
import { project, replay } from "../../src/ledger/replay.ts";
import {
  assistant,
  deepFreeze,
  done,
  fold,
  image,
  insert,
  ledger,
  omit,
  reasoning,
  replace,
  synthetic,
  text,
  user,
  withImage,
} from "./history.ts";
import { isPrefix, wire } from "./wire.ts";

// One test for each row of the table in DESIGN §9: what history features need, the verbs carry.
const messages = deepFreeze([
  user("u1", text("fix the bug"), image("before.png")),
  assistant("a1", { type: "step-start" }, reasoning("look"), text("I look."), done("c1", "long…")),
  assistant("a2", text("found"), withImage("c2", "shot")),
  user("u2", text("go on")),
  assistant("a3", text("done"), done("c3", "ok")),
]);

describe("the table of history features", () => {
  test("a tool result is dropped and its call kept: replace with one fixed placeholder", () => {
    const sent = wire(replay(ledger(replace("a1.3", "[dropped]")), messages));
    expect(sent.slice(4, 6)).toEqual(["call: c1", "result: c1 [dropped]"]);
    expect(sent).toHaveLength(wire(messages).length);
  });

  test("reasoning, structural noise and stale placeholders are stripped: omit", () => {
    const edits = ledger(
      omit("a1.1"),
      omit("a1.0"),
      omit("a1.3"),
      replace("a1.3", "x"),
      omit("a1.3"),
    );
    const sent = wire(replay(edits, messages));
    expect(sent.slice(2, 4)).toEqual(["assistant: I look.", "assistant: found"]);
  });

  test("processed images become a text: replace of a result, insert and omit of an attachment", () => {
    const edits = ledger(replace("a2.1", "[a shot]"), insert("u1.1", "[before]"), omit("u1.1"));
    const sent = wire(replay(edits, messages));
    expect(sent).toContain("result: c2 [a shot]");
    expect(sent.slice(0, 2)).toEqual(["user: fix the bug", "user: [before]"]);
  });

  test("old text is shortened by age, each time from the pristine original: replace", () => {
    const once = ledger(replace("a1.2", "I l…"));
    const twice = ledger(replace("a1.2", "I l…"), replace("a1.2", "I…"));
    expect(wire(replay(once, messages))).toContain("assistant: I l…");
    expect(replay(twice, messages)).toEqual(replay(ledger(replace("a1.2", "I…")), messages));
  });

  test("nudges, reminders, hints, time marks and the todo view: insert at the tail, never moved", () => {
    const edits = ledger(insert("u1", "hint"), insert("a2", "todo: 1"), insert("a3", "nudge"));
    const calls = [1, 3, 5].map((end) => wire(replay(edits, messages.slice(0, end))));
    expect(calls[2]?.filter((block) => /hint|todo|nudge/.test(block))).toHaveLength(3);
    expect(isPrefix(calls[0] ?? [], calls[1] ?? [])).toBe(true);
    expect(isPrefix(calls[1] ?? [], calls[2] ?? [])).toBe(true);
    const folded = [...edits, { seq: 9, edit: fold("u1", "a2", "so far") }];
    expect(wire(replay(folded, messages)).join()).not.toContain("hint");
  });

  test("compartments and tiers: folds side by side, and a later one over those it contains", () => {
    const tiers = ledger(fold("u1", "a1", "1"), fold("a2", "u2", "2"));
    expect(wire(replay(tiers, messages)).slice(0, 2)).toEqual(["user: 1", "user: 2"]);
    const decayed = [...tiers, { seq: 3, edit: fold("u1", "u2", "1 and 2") }];
    expect(wire(replay(decayed, messages)).slice(0, 2)).toEqual([
      "user: 1 and 2",
      "assistant: done",
    ]);
  });

  test("the compaction marker: a fold hides what the host's compaction left", () => {
    const compacted = [
      user("u7", { type: "compaction" }),
      assistant("a7", text("a summary")),
      user("u8", synthetic("Continue if you have next steps")),
    ];
    const sent = wire(replay(ledger(fold("u7", "a7", "what we did")), compacted));
    expect(sent).toEqual(["user: what we did", "user: Continue if you have next steps"]);
  });

  test("tags: a part keeps the host's id, from which a handle can be derived, under any edit", () => {
    const edits = ledger(replace("a1.3", "[dropped]"), insert("a1", "x"), omit("a1.1"));
    const ids = (history: typeof messages) =>
      history.flatMap(({ parts }) => parts.filter(isTool).map((part) => part.id));
    expect(ids([...replay(edits, messages)])).toEqual(ids(messages));
  });

  test("queued drops and deferred markers: drafts that the same rule refuses now and admits later", () => {
    const draft = replace("a1.3", "[dropped]");
    const mark = findWatermark(messages, new Set(["u1", "a1", "a2"]));
    const at = (boundary: Boundary) => isAdmissible(draft, { messages, watermark: mark, boundary });
    expect(at({ kind: "ordinary" })).toBe(false);
    expect(at({ kind: "idle", idleMs: 3_600_000 })).toBe(true);
  });

  test("execute and defer: the kind of the boundary decides, nothing else", () => {
    const mark = findWatermark(messages, new Set(["u1", "a1", "a2", "u2", "a3"]));
    const kinds = ["first", "compacted", "pressure", "command", "reverted", "ordinary"] as const;
    const admitted = kinds.filter((kind) =>
      isAdmissible(fold("u1", "a2", "x"), { messages, watermark: mark, boundary: { kind } }),
    );
    expect(admitted).toEqual(["first", "compacted", "pressure", "command"]);
  });

  test("historian and the like: a proposal of a job is an edit in its stored form", () => {
    const proposal = JSON.stringify(fold("u1", "a2", "the historian's words"));
    const edit = editSchema.parse(JSON.parse(proposal));
    expect(wire(replay([{ seq: 1, edit }], messages))[0]).toBe("user: the historian's words");
  });

  test("memories, key files and documents: Context Sources, whose updates are inserts", () => {
    const update = "<system-update>\nA memory was added.\n</system-update>";
    const sent = wire(replay(ledger(insert("a3", update)), messages));
    expect(sent).toEqual([...wire(messages), `added: ${update}`]);
  });

  test("search, expand, note: tools find what edits hide, because the host's history keeps it", () => {
    const edits = ledger(fold("u1", "a2", "so far"), replace("a3.1", "[dropped]"));
    const { messages: sent } = project(edits, messages);
    expect(wire(sent).join()).not.toContain("long…");
    expect(wire(messages).join()).toContain("long…");
  });
});
