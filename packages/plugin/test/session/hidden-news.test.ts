import { expect, test } from "bun:test";
import { toSourceKey } from "../../src/context/key.ts";
import type { Edit } from "../../src/ledger/edit.ts";
import type { Entry } from "../../src/ledger/entry.ts";
import { hidesAnnouncement } from "../../src/session/view.ts";
import { assistant, deepFreeze, fold, insert, text, user } from "../ledger/history.ts";

const messages = deepFreeze([
  user("u1", text("one")),
  assistant("a1", text("ok")),
  user("u2", text("two")),
  assistant("a2", text("ok")),
]);
const folding = [{ origin: "test", edit: fold("u1", "u2", "so far") }];

function entry(edit: Edit | null, news: Partial<Entry>): Entry {
  return {
    ...{ seq: 1, origin: "test", edit, messageId: "a1", partId: null, announced: [], delta: {} },
    ...news,
  };
}

const KEY = toSourceKey("test/a");
const announcement = { announced: [{ key: KEY, text: "news" }] };
/** Nothing of it is announced in words. */
const removal = { delta: { [KEY]: null } };

test.each([
  [
    "an announcement within the folded range: it hides news",
    [entry(insert("u2", "news"), announcement)],
    true,
  ],
  [
    "a change of what is in effect, within it: it hides news",
    [entry(insert("u2", "news"), removal)],
    true,
  ],
  ["what brought no news: nothing is hidden", [entry(insert("u2", "text"), {})], false],
  [
    "an announcement after it: nothing is hidden",
    [entry(insert("a2", "news"), announcement)],
    false,
  ],
  ["nothing else: nothing is hidden", [], false],
] as const)("I28: a fold, and %s", (_, standing, hides) => {
  expect(hidesAnnouncement(standing, folding, messages)).toBe(hides);
});

test("without a fold nothing is hidden", () => {
  const standing = [entry(insert("u2", "news"), announcement)];
  expect(hidesAnnouncement(standing, [], messages)).toBe(false);
});
