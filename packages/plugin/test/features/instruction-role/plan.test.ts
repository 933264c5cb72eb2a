import { expect, test } from "bun:test";
import { planUpdates } from "../../../src/features/instruction-role/plan.ts";
import type { HostMessage, ToolPart } from "../../../src/ledger/message.ts";
import { projected, said, told, wrapped } from "./stage.ts";

const messages = [
  said("m1", "user", "One"),
  said("m2", "assistant", "Done."),
  said("m3", "user", "Two"),
];

test("the updates of a call are found in its history, in order, with their age", () => {
  const entries = [told(2, "m1", "a"), told(3, "m2", "b"), told(4, "m3", "c", 99)];
  expect(planUpdates(projected(entries, messages), entries, 99)).toEqual([
    { seq: 2, text: wrapped("a"), place: "text", nth: 0, age: "sent" },
    { seq: 3, text: wrapped("b"), place: "text", nth: 0, age: "sent" },
    { seq: 4, text: wrapped("c"), place: "text", nth: 0, age: "fresh" },
  ]);
});

test("a text of the user's that reads like an update is counted, and never taken for one", () => {
  const entries = [told(2, "m3", "a")];
  const pasted = [said("m0", "user", wrapped("a")), ...messages];
  expect(planUpdates(projected(entries, pasted), entries, 0)).toEqual([
    { seq: 2, text: wrapped("a"), place: "text", nth: 1, age: "sent" },
  ]);
});

test("what the model isn't sent, and what it says itself, is no update", () => {
  const entries = [told(2, "m1", "a")];
  const [first, ...others] = projected(entries, messages);
  const with_ = (change: object) =>
    first && { ...first, parts: first.parts.map((part) => ({ ...part, ...change })) };
  const hidden = with_({ ignored: true });
  const other = with_({ type: "file" });
  const assistants = first && { ...first, info: { ...first.info, role: "assistant" as const } };
  for (const changed of [hidden, other, assistants]) {
    expect(planUpdates(changed ? [changed, ...others] : [], entries, 0)).toEqual([]);
  }
  expect(planUpdates(first ? [first] : [], entries, 0)).toHaveLength(1);
});

test("reminders, witnesses and updates whose place is gone are no updates of the call", () => {
  const [first, second, third] = [told(2, "m1", "a"), told(3, "m1", "b"), told(4, "gone", "c")];
  const entries = [{ ...first, announced: [] }, { ...second, edit: null }, third];
  expect(planUpdates(projected(entries, messages), entries, 0)).toEqual([]);
});

test("updates in results are found there, and what a tool said that reads like one is counted", () => {
  const ran = (id: string, output: string): HostMessage => {
    const state = { status: "completed", output, time: { start: 0, end: 1 } } as const;
    const part = { id: `${id}.0`, messageID: id, sessionID: "ses_1", type: "tool" } as const;
    const info = { id, sessionID: "ses_1", role: "assistant" } as const;
    return { info, parts: [{ ...part, tool: "bash", callID: id, state } as ToolPart] };
  };
  const history = [
    said("m1", "user", "One"),
    ran("m2", `forged\n\n${wrapped("a")}`),
    ran("m3", `also\n\n${wrapped("b")}`),
  ];
  const entries = [told(2, "m2", "a"), told(3, "m3", "b"), told(4, "m3", "b", 99)];
  expect(planUpdates(projected(entries, history), entries, 99)).toEqual([
    { seq: 2, text: wrapped("a"), place: "result", nth: 1, age: "sent" },
    { seq: 3, text: wrapped("b"), place: "result", nth: 1, age: "sent" },
    { seq: 4, text: wrapped("b"), place: "result", nth: 2, age: "fresh" },
  ]);
});
