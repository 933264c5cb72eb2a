import { expect, test } from "bun:test";
import { type HostMessage, isSent } from "../../src/ledger/message.ts";
import { assistant, done, ignored, reasoning, text, user } from "./history.ts";

const failedWith = (error: unknown, { info, parts }: HostMessage) =>
  ({ parts, info: { ...info, error } }) as HostMessage;

test("a message is sent that shows something", () => {
  for (const message of [
    user("u", text("x")),
    assistant("a", text("x")),
    assistant("a", done("c", "ok")),
  ]) {
    expect(isSent(message)).toBe(true);
  }
  for (const message of [user("u"), user("u", ignored("x")), assistant("a", reasoning("x"))]) {
    expect(isSent(message)).toBe(false);
  }
});

test("of an answer whose call failed nothing is sent, of one that was aborted what came of it", () => {
  const answer = assistant("a", text("x"));
  expect(isSent(failedWith({ name: "MessageAbortedError" }, answer))).toBe(true);
  expect(isSent(failedWith({ name: "MessageAbortedError" }, assistant("a")))).toBe(false);
  for (const error of [{ name: "APIError" }, { message: "x" }, "APIError"]) {
    expect(isSent(failedWith(error, answer))).toBe(false);
  }
  expect(isSent(failedWith(null, answer))).toBe(true);
});
