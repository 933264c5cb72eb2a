import { expect, test } from "bun:test";
import { createBlock } from "../src/block.ts";
import { blocks, firstDifference, isPrefix, prefixBreaks } from "../src/wire.ts";
import { textBlock } from "./requests.ts";

const sent = (...texts: readonly string[]) => ({ blocks: texts.map(textBlock) });

test("a call is a prefix of one that only adds", () => {
  expect(isPrefix(sent("a"), sent("a", "b"))).toBe(true);
  expect(firstDifference(sent("a"), sent("a", "b"))).toBeUndefined();
});

test("cache markers are no part of the bytes", () => {
  const cache_control = { type: "ephemeral" };
  const marked = createBlock("system", "system", { type: "text", text: "a", cache_control });
  expect(marked.breakpoint).toBe(true);
  expect(marked.bytes).toBe(JSON.stringify({ type: "text", text: "a" }));
});

test("the first difference names block, layer, role and offset", () => {
  const difference = firstDifference(sent("a", "one rule"), sent("a", "one role"));
  expect(difference).toMatchObject({ index: 1, layer: "messages", role: "user" });
  expect(difference?.report).toContain("one rule");
  expect(difference?.report).toContain("one role");
});

test("a role that changed is a difference", () => {
  const mine = { blocks: [createBlock("messages", "user", "a")] };
  const yours = { blocks: [createBlock("messages", "assistant", "a")] };
  expect(firstDifference(mine, yours)?.report).toContain("user -> messages/assistant");
});

test("a call that is shorter than the one before it breaks the prefix", () => {
  expect(prefixBreaks([sent("a"), sent("a", "b"), sent("a")])).toHaveLength(1);
});

test("blocks are listed flat, in the order of the wire", () => {
  expect(blocks(sent("a", "b"))).toHaveLength(2);
});
