import { expect, test } from "bun:test";
import { isSameData } from "../src/same-data.ts";

const message = () => ({
  role: "assistant",
  content: [
    { type: "text", text: "Fine." },
    { type: "toolCall", arguments: { path: "a.ts" } },
  ],
  usage: { input: 5, cost: null },
  errorMessage: undefined,
});

test("copies of plain data are the same", () => {
  expect(isSameData(message(), structuredClone(message()))).toBe(true);
  expect(isSameData([], [])).toBe(true);
  expect(isSameData({}, {})).toBe(true);
});

test("what differs anywhere is not: a value, a length, a name, a kind", () => {
  const others: readonly object[] = [
    { ...message(), role: "user" },
    { ...message(), content: message().content.slice(1) },
    { ...message(), content: [...message().content].reverse() },
    { ...message(), content: { ...message().content } },
    { ...message(), usage: { input: 6, cost: null } },
    { ...message(), usage: { input: 5, price: null } },
    { ...message(), usage: null },
    { ...message(), more: 1 },
    { role: "assistant", content: message().content, usage: message().usage, other: undefined },
    [message()],
  ];
  for (const other of others) {
    expect(isSameData(message(), other)).toBe(false);
    expect(isSameData(other, message())).toBe(false);
  }
});

test("what is no plain data goes by Node's rules", () => {
  expect(isSameData({ at: new Date(1) }, { at: new Date(1) })).toBe(true);
  expect(isSameData({ at: new Date(1) }, { at: new Date(2) })).toBe(false);
  expect(isSameData(new Map([["a", 1]]), new Map([["a", 2]]))).toBe(false);
  expect(isSameData({ size: Number.NaN }, { size: Number.NaN })).toBe(true);
  expect(isSameData({}, [])).toBe(false);
});
