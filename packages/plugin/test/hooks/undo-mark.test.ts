import { expect, test } from "bun:test";
import { dropUndone } from "../../src/hooks/opencode-host.ts";

const messages = [
  { info: { id: "msg_1" }, parts: [{ id: "prt_1" }] },
  { info: { id: "msg_2" }, parts: [{ id: "prt_2" }, { id: "prt_3" }] },
  { info: { id: "msg_3" }, parts: [{ id: "prt_4" }] },
];

test.each([
  ["all of it without one", undefined, ["prt_1", "prt_2", "prt_3", "prt_4"]],
  ["what is before the message", { messageID: "msg_2" }, ["prt_1"]],
  ["what is before the part", { messageID: "msg_2", partID: "prt_3" }, ["prt_1", "prt_2"]],
  ["all where its message is gone", { messageID: "msg_9" }, ["prt_1", "prt_2", "prt_3", "prt_4"]],
  [
    "the message whose part is gone",
    { messageID: "msg_2", partID: "prt_9" },
    ["prt_1", "prt_2", "prt_3"],
  ],
] as const)("an undo leaves %s", (_, undo, parts) => {
  const left = dropUndone(messages, undo);
  expect(left.flatMap((message) => message.parts.map(({ id }) => id))).toEqual([...parts]);
});
