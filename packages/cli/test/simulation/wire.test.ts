import { expect, test } from "bun:test";
import { Wire } from "../../src/simulation/wire.ts";
import { message, text, toolCall } from "./messages.ts";

const says = (sent: ReturnType<Wire["toWireMessages"]>) =>
  sent.map((blocks) => blocks.map((block) => block.says));

test("an answer with calls is two messages: what was said and called, and what came of it", () => {
  const wire = new Wire();
  const answer = message(
    ...(["a", "assistant"] as const),
    ...[{ type: "reasoning", text: "So." }, text("I look."), toolCall("read", {}, "one")],
    toolCall("read", {}, "two"),
  );
  expect(says(wire.toWireMessages(answer))).toEqual([
    ["text", "text", "call", "call"],
    ["result", "result"],
  ]);
  expect(says(wire.toWireMessages(message("u", "user", text("Go."))))).toEqual([["text"]]);
  expect(says(wire.toWireMessages(message("b", "assistant", text("Done."))))).toEqual([["text"]]);
});

test("what the host doesn't send is no block, and a message without blocks none", () => {
  const wire = new Wire();
  const hidden = message("h", "user", { ...text("For you alone."), ignored: true });
  expect(wire.toWireMessages(hidden)).toEqual([]);
  expect(wire.toWireMessages(message("s", "assistant", { type: "step-start" }))).toEqual([]);
  const open = { type: "tool", tool: "read", callID: "1", state: { status: "running" } };
  expect(says(wire.toWireMessages(message("o", "assistant", open)))).toEqual([["call"]]);
});

test("a block takes its text as JSON and a frame, four bytes a token", () => {
  const wire = new Wire();
  const answer = message(
    ...(["a", "assistant"] as const),
    // 5 with the quotes, the break counted as two; a frame of 25.
    text("a\nb"),
    // 8 of arguments, 4 of the name and a frame of 64; its result 4 and a frame of 62.
    toolCall("read", { a: 10 }, "ok"),
  );
  const tokens = wire.toWireMessages(answer).map((blocks) => blocks.map((block) => block.tokens));
  expect(tokens).toEqual([[8, 19], [17]]);
  const open = { type: "tool", tool: "read", callID: "1", state: { status: "pending" } };
  expect(wire.toWireMessages(message("o", "assistant", open))[0]?.[0]?.tokens).toBe(18);
});

test("a block stays the same object until its part has other bytes", () => {
  const wire = new Wire();
  const of = (output: string) =>
    wire.toWireMessages(message("a", "assistant", toolCall("read", {}, output))).flat();
  const [call, result] = of("as it was");
  const [sameCall, sameResult] = of("as it was");
  expect(sameCall === call && sameResult === result).toBe(true);
  const [, stub] = of("[gone]");
  expect(stub?.key === result?.key).toBe(false);
  const once = message("b", "user", text("Hello."));
  expect(wire.toWireMessages(once)).toBe(wire.toWireMessages(once));
});
