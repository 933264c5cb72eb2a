// What the host has of its messages beside a request: asked for when something is new, and no more of a late host.
import { expect, test } from "bun:test";
import { StoredReader } from "../../src/hooks-v2/stored.ts";

const request = (...ids: readonly string[]) => ({
  sessionID: "ses_1",
  agent: "build",
  model: { id: "opus", providerID: "anthropic" },
  messages: ids.map((id) => ({ id, role: "user", content: [] }) as const),
});

const noted = (id: string) => ({ id, time: { created: 5 }, tokens: { input: 3 }, finish: "stop" });

function reader(listed: () => Promise<readonly unknown[]>) {
  const calls: string[] = [];
  const host = {
    context: async ({ sessionID }: { readonly sessionID: string }) => {
      calls.push(sessionID);
      return listed();
    },
  };
  return { calls, stored: new StoredReader(host) };
}

test("is asked once, and again only for a message that no event has told of", async () => {
  const ids = ["msg_1"];
  const { calls, stored } = reader(async () => ids.map(noted));
  const facts = await stored.readFor(request("msg_1"));
  expect(facts.get("msg_1")).toEqual({
    time: { created: 5 },
    tokens: { input: 3 },
    finish: "stop",
  });
  await stored.readFor(request("msg_1"));
  stored.note("ses_1", "msg_2", { time: { created: 6, completed: 7 } });
  const two = await stored.readFor(request("msg_1", "msg_2"));
  expect(two.get("msg_2")?.time.completed).toBe(7);
  expect(calls).toHaveLength(1);
  ids.push("msg_2", "msg_3");
  await stored.readFor(request("msg_1", "msg_2", "msg_3"));
  expect(calls).toHaveLength(2);
});

test("gives all of a request's messages or none", async () => {
  const { stored } = reader(async () => [noted("msg_1"), null, { id: "msg_2" }]);
  expect((await stored.readFor(request("msg_1", "msg_2"))).size).toBe(0);
});

test("a host that is late once is asked no more", async () => {
  const { calls, stored } = reader(() => new Promise(() => undefined));
  expect((await stored.readFor(request("msg_1"))).size).toBe(0);
  expect((await stored.readFor(request("msg_1"))).size).toBe(0);
  expect(calls).toHaveLength(1);
});
