import { expect, test } from "bun:test";
import { createSentHistories } from "../../src/feature-api/feature-context.ts";
import type { SessionId } from "../../src/storage/records.ts";
import { user } from "../ledger/history.ts";

const id = (name: string) => name as SessionId;

function stage() {
  const { sent, hooks } = createSentHistories();
  const send = (sessionId: SessionId, host = [user("u1")]) =>
    hooks.sent?.({ sessionId, host, sent: [] });
  return { sent, hooks, send };
}

test("the newest call of a session is kept, and forgotten with the session", () => {
  const { sent, hooks, send } = stage();
  send(id("one"));
  const host = [user("u1"), user("u2")];
  send(id("one"), host);
  expect(sent.get(id("one"))).toEqual({ host, sent: [] });
  hooks.onEvent?.({ kind: "idle", sessionId: id("one") });
  expect(sent.size).toBe(1);
  hooks.onEvent?.({ kind: "deleted", sessionId: id("one") });
  expect(sent.size).toBe(0);
});

test("of eight sessions at most, those that were at work last", () => {
  const { sent, send } = stage();
  for (let at = 0; at < 9; at += 1) send(id(`ses_${at}`));
  send(id("ses_1"));
  send(id("ses_9"));
  expect([...sent.keys()].map(String)).toEqual([3, 4, 5, 6, 7, 8, 1, 9].map((at) => `ses_${at}`));
});
