import { expect, test } from "bun:test";
import type { HostMessage } from "../../src/ledger/message.ts";
import { type Call, collectPassFacts, findReplacedMessages } from "../../src/session/pass.ts";

const message = (id: string): HostMessage => ({
  info: { id, sessionID: "ses_1", role: "user" },
  parts: [],
});
const listMessageIds = (messages: readonly HostMessage[]) => messages.map(({ info }) => info.id);
const [first, second] = [message("a"), message("b")];
const own = [first, second];
const sent = [first, message("made"), { ...second }];

test("what replay has made or copied is told from the host's own rows", () => {
  expect(findReplacedMessages(own, own)).toEqual({ made: [], hidden: [] });
  const { made, hidden } = findReplacedMessages(sent, own);
  expect([listMessageIds(made), listMessageIds(hidden)]).toEqual([["made", "b"], ["b"]]);
});

test("in an epoch that goes on what is new to it may be unsent, in another one all is", () => {
  const call = { messages: own, unsent: [second], historyIds: ["a", "b"], facts: { agent: "x" } };
  const facts = (epoch: "same" | "another") =>
    collectPassFacts(call as unknown as Call, sent, { epoch, rewrite: null });
  expect(facts("same").unsentIds).toEqual(["b", "made", "b"]);
  expect(facts("another").unsentIds).toEqual(["a", "b", "made", "b"]);
  expect(facts("same")).toMatchObject({ agent: "x", messages: sent, historyIds: ["a", "b"] });
});
