import { expect, test } from "bun:test";
import {
  asksForCompaction,
  isTyped,
  type MessageInfo,
  readCreatedAtMs,
} from "../../src/ledger/message.ts";
import { assistant, ignored, synthetic, text, user } from "./history.ts";

test("typed is what is sent of the texts that neither the host nor a plugin has put beside them", () => {
  const file = { type: "file", mime: "image/png", url: "data:" } as const;
  const { parts } = user(
    "u",
    text("Go."),
    synthetic("A note."),
    ignored("A report."),
    text(""),
    file,
  );
  expect(parts.map(isTyped)).toEqual([true, false, false, false, false]);
});

test("a row with a compaction's part asks for one", () => {
  expect(asksForCompaction(user("u", text("Go."), { type: "compaction" }))).toBe(true);
  expect(asksForCompaction(user("u", text("Compact it.")))).toBe(false);
});

test("a message was made when its host says, and at 0 where it does not", () => {
  const { info } = assistant("a");
  const timed: MessageInfo & { readonly time: object } = { ...info, time: { created: 5 } };
  expect([readCreatedAtMs(timed), readCreatedAtMs(info)]).toEqual([5, 0]);
});
