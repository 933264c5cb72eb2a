import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import type { FeatureHooks, SentCall } from "../../src/feature-api/feature-hooks.ts";
import { eventually } from "../eventually.ts";
import { type HostEvent, PluginStage } from "./composed-plugin.ts";

let heard: string[] = [];
let sent: SentCall[] = [];
let stage: PluginStage;

beforeEach(() => {
  heard = [];
  sent = [];
  const fail = () => {
    throw new TypeError("a feature that fails");
  };
  const broken = { sent: fail, settled: async () => fail(), onEvent: fail, closed: fail };
  const sound: FeatureHooks = {
    sent: (history) => void sent.push(history),
    settled: async (sessionId) => void heard.push(`settled ${sessionId}`),
    onEvent: ({ kind, sessionId }) => void heard.push(`${kind} ${sessionId}`),
    closed: () => void heard.push("closed"),
  };
  stage = new PluginStage([{ hooks: broken }, { hooks: sound }]);
});
afterEach(() => stage.close());

const event = (type: string, properties: object) => ({ type, properties }) as unknown as HostEvent;

test("a feature hears of a call after its send, with the history as the host has it and as it was sent", async () => {
  await stage.prompt("hello");
  const given = stage.history();
  await stage.hooks["experimental.chat.messages.transform"]?.({}, { messages: given });
  expect(sent).toEqual([]);
  await eventually("the feature hears of the send", () => sent.length > 0);
  expect(sent.map(({ sessionId }) => sessionId as string)).toEqual(["ses_1"]);
  const [history] = sent;
  expect(history?.host.map(({ info }) => info.id)).toEqual(
    stage.history().map(({ info }) => info.id),
  );
  // What was sent as it was is the very same part.
  expect(history?.sent[0]?.parts[0]).toBe(history?.host[0]?.parts[0] as never);
});

test("a compaction's own pass is none of its calls: its history ends before what is kept", async () => {
  await stage.prompt("hello");
  await stage.call();
  await eventually("the feature hears of the send", () => sent.length > 0);
  const sessionID = stage.rows.sessionId;
  await stage.hooks["experimental.session.compacting"]?.({ sessionID }, { context: [] });
  await stage.hooks["experimental.chat.messages.transform"]?.({}, { messages: stage.history() });
  await Bun.sleep(60);
  expect(sent).toHaveLength(1);
});

test("it hears of sessions that rest or are deleted and of the end, and one that fails costs no other", async () => {
  await stage.prompt("hello");
  await stage.call();
  await eventually("the feature hears of the send", () => sent.length > 0);
  await stage.hear(event("session.status", { sessionID: "ses_1", status: { type: "idle" } }));
  await stage.hear(event("session.deleted", { info: { id: "ses_1" } }));
  await stage.hooks.dispose?.();
  expect(heard).toEqual(["idle ses_1", "settled ses_1", "deleted ses_1", "closed"]);
  expect(sent).toHaveLength(1);
  const failures = (await stage.log()).filter(({ where }) => String(where).startsWith("test."));
  expect(failures).toHaveLength(5);
});

test("who shows a session hears what happens after the features have, and the end", async () => {
  const { screen } = stage.plugin;
  const changed = spyOn(screen, "changed").mockImplementation(() => void heard.push("shown"));
  const closed = spyOn(screen, "close");
  await stage.hear(event("message.removed", { sessionID: "ses_1", messageID: "msg_1" }));
  expect(heard).toEqual(["removed ses_1", "shown"]);
  await stage.hear(event("session.status", { sessionID: "ses_1", status: { type: "idle" } }));
  // The inbox says so as well, whenever it has looked at the session.
  expect(heard.filter((one) => one !== "shown").slice(1)).toEqual(["idle ses_1", "settled ses_1"]);
  expect(heard.slice(heard.indexOf("idle ses_1") + 1)[0]).toBe("shown");
  expect(heard.at(-1)).toBe("shown");
  expect(closed).not.toHaveBeenCalled();
  await stage.hooks.dispose?.();
  expect(closed).toHaveBeenCalledTimes(1);
  changed.mockRestore();
});

test("a session has settled for a feature when the queue has had its turn", async () => {
  const order: string[] = [];
  const queue = stage.plugin.featureInstances.find(({ feature }) => feature === "inbox")?.hooks;
  if (!queue?.settled) throw new Error("The inbox has no such hook.");
  spyOn(queue, "settled").mockImplementation(async () => {
    order.push(...heard.splice(0));
    await Bun.sleep(5);
    order.push("queue");
  });
  await stage.hear(event("session.status", { sessionID: "ses_1", status: { type: "idle" } }));
  expect([...order, ...heard]).toEqual(["idle ses_1", "queue", "settled ses_1"]);
});
