import { describe, expect, test } from "bun:test";
import { isAdmissible } from "../../src/ledger/admission.ts";
import { type Boundary, findWatermark, isCold } from "../../src/ledger/boundary.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import { assistant, done, fold, insert, omit, replace, text, user } from "./history.ts";

const boundaries: readonly Boundary[] = [
  { kind: "ordinary" },
  { kind: "reverted" },
  { kind: "first" },
  { kind: "compacted" },
  { kind: "moved" },
  { kind: "replaced" },
  { kind: "model" },
  { kind: "idle", idleMs: 360_000 },
  { kind: "pressure" },
  { kind: "command" },
  { kind: "worth" },
];

const messages = [
  user("u9", text("one")),
  assistant("a1", text("two"), done("c1", "ok")),
  user("u2", text("three"), text("four")),
  assistant("a2", text("five"), done("c2", "ok"), { type: "step-finish" }),
];

function isAdmitted(edit: Edit, sent: readonly string[], history = messages): boolean {
  return isAdmissible(edit, {
    messages: history,
    watermark: findWatermark(history, new Set(sent)),
    boundary: { kind: "ordinary" },
  });
}

describe("the watermark", () => {
  test("is the newest message in the array that was sent, whatever the order of ids", () => {
    expect(findWatermark(messages, new Set(["a1", "u9"]))).toEqual({ index: 1, messageId: "a1" });
  });

  test("is an earlier one after an undo, and none if nothing that was sent stands", () => {
    expect(findWatermark(messages.slice(0, 1), new Set(["u9", "a1"]))?.messageId).toBe("u9");
    expect(findWatermark(messages, new Set(["gone"]))).toBeNull();
    expect(findWatermark([], new Set())).toBeNull();
  });
});

describe("the admission rule", () => {
  const edits = [insert("u9", "x"), replace("a1.0", "x"), omit("u2.0"), fold("u9", "a1", "x")];

  test("a cold boundary, or a history of which nothing was sent, admits any edit", () => {
    for (const edit of edits) {
      expect(isAdmitted(edit, [])).toBe(true);
      for (const boundary of boundaries) {
        const mark = findWatermark(messages, new Set(["u9", "a1", "u2"]));
        expect(isAdmissible(edit, { messages, watermark: mark, boundary })).toBe(isCold(boundary));
      }
    }
  });

  test("cold is each boundary but an ordinary and a reverted one", () => {
    const warm = boundaries.filter((boundary) => !isCold(boundary));
    expect(warm.map(({ kind }) => kind)).toEqual(["ordinary", "reverted"]);
  });

  test("a part may change only behind the watermark", () => {
    for (const edit of [replace("a1.0", "x"), omit("a1.0")]) {
      expect(isAdmitted(edit, ["u9"])).toBe(true);
      expect(isAdmitted(edit, ["u9", "a1"])).toBe(false);
    }
  });

  test("a range may be folded only behind the watermark, with both its ends", () => {
    expect(isAdmitted(fold("a1", "u2", "x"), ["u9"])).toBe(true);
    expect(isAdmitted(fold("u9", "u2", "x"), ["u9"])).toBe(false);
    expect(isAdmitted(fold("a1", "gone", "x"), ["u9"])).toBe(false);
  });

  test("text may be inserted anywhere in a message that was not sent", () => {
    expect(isAdmitted(insert("u2.0", "x"), ["u9", "a1"])).toBe(true);
    expect(isAdmitted(insert("u2.0", "x"), ["u9", "a1", "u2"])).toBe(false);
  });

  test("in the last message, sent before, text may be inserted at the end only", () => {
    const sent = ["u9", "a1", "u2"];
    const until = messages.slice(0, 3);
    expect(isAdmitted(insert("u2", "x"), sent, until)).toBe(true);
    expect(isAdmitted(insert("u2.1", "x"), sent, until)).toBe(true);
    expect(isAdmitted(insert("u2.0", "x"), sent, until)).toBe(false);
    expect(isAdmitted(insert("u2.1", "x"), sent)).toBe(false);
  });

  test("behind an assistant's message text stands on its own, whichever part it follows", () => {
    const sent = ["u9", "a1", "u2", "a2"];
    for (const place of ["a2", "a2.1", "a2.2"])
      expect(isAdmitted(insert(place, "x"), sent)).toBe(true);
    expect(isAdmitted(insert("a2.7", "x"), sent)).toBe(false);
  });

  test("an edit whose message is missing is refused where the cache is warm", () => {
    expect(isAdmitted(insert("gone", "x"), ["u9"])).toBe(false);
    const nothing = { messages: [], watermark: { index: 0, messageId: "u9" } };
    const boundary = { kind: "ordinary" } as const;
    expect(isAdmissible(insert("u9", "x"), { ...nothing, boundary })).toBe(false);
  });
});
