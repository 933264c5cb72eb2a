import { expect, test } from "bun:test";
import { tokensHeld } from "../../src/session/turn-cost.ts";
import { assistant, done, failed, text, user } from "../projection/history.ts";

test("held of earlier calls are the Baseline, and texts and results up to the last message that was sent", () => {
  const messages = [
    user("u1", text("x".repeat(40)), { type: "step-start" }),
    assistant("a1", done("c1", "y".repeat(80)), failed("c2", "z".repeat(4_000))),
    user("u2", text("w".repeat(400))),
  ];
  const baseline = "b".repeat(20);
  expect([-1, 0, 1, 2].map((end) => tokensHeld(baseline, messages, end))).toEqual([5, 15, 35, 135]);
});
