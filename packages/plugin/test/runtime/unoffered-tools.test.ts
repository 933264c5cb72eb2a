import { expect, test } from "bun:test";
import type { HostMessage } from "../../src/ledger/message.ts";
import { UnofferedTools } from "../../src/runtime/unoffered-tools.ts";
import type { ToolQuery } from "../../src/session/call-deps.ts";
import type { SessionId } from "../../src/storage/records.ts";

const own = ["ctx_search", "ctx_expand"];
const denied = [{ permission: "ctx_*", pattern: "*", action: "deny" }];

function prompt(id: string, tools: object = {}): HostMessage {
  const info = { id, sessionID: "ses_1", role: "user" as const, agent: "build", tools };
  return { info, parts: [] };
}

function callAt(id: string, tools: object = {}): ToolQuery {
  const sessionId = "ses_1" as SessionId;
  const caller = { sessionId, agent: "build", providerId: "openai", modelId: "gpt" };
  return { ...caller, messages: [prompt(id, tools)], offered: null };
}

const noneAside: (call: ToolQuery, lacked: ReadonlySet<string>) => readonly string[] = () => [];

function stage(answers: (readonly unknown[] | "refused" | "never")[], aside = noneAside) {
  let asked = 0;
  const rules = async () => {
    const answer = answers[asked] ?? "refused";
    asked += 1;
    if (answer === "never") return new Promise<never>(() => undefined);
    if (answer === "refused") throw new Error("This host does not offer permissions to plugins.");
    return answer;
  };
  const withheld = new UnofferedTools({ own, rules, timeoutMs: 20, withheld: aside });
  const of = async (call: ToolQuery) => {
    const found = await withheld.findNames(call);
    return found && [...found];
  };
  return { of, withheld, asked: () => asked };
}

test("a session's first call waits for the host's permissions, and later ones of its prompt take them", async () => {
  const { of, withheld, asked } = stage([denied]);
  expect(await of(callAt("msg_1"))).toEqual(own);
  // I20: at once, without a promise.
  expect(withheld.findNames(callAt("msg_1"))).toEqual(new Set(own));
  expect(asked()).toBe(1);
});

test("a next prompt takes what was known, and asks once for the calls after it", async () => {
  const { of, asked } = stage([denied, []]);
  await of(callAt("msg_1"));
  expect(await of(callAt("msg_2"))).toEqual(own);
  expect(await of(callAt("msg_2"))).toEqual([]);
  expect(asked()).toBe(2);
});

test("nobody knows it of a host that gives no permissions, or gives them too late", async () => {
  expect(await stage(["refused"]).of(callAt("msg_1"))).toBeNull();
  expect(await stage(["never"]).of(callAt("msg_1"))).toBeNull();
});

test("a tool list that the host gives with the call counts alone", async () => {
  const { of, asked } = stage([denied]);
  expect(await of({ ...callAt("msg_1"), offered: new Set(["read", "ctx_search"]) })).toEqual([
    "ctx_expand",
  ]);
  expect(asked()).toBe(0);
});

test("a prompt that turns a tool off takes it from its own calls", async () => {
  const { of } = stage([[], []]);
  expect(await of(callAt("msg_1", { ctx_expand: false }))).toEqual(["ctx_expand"]);
  await of(callAt("msg_2"));
  expect(await of(callAt("msg_2"))).toEqual([]);
});

test("nobody knows it of a host whose permissions are of another form", async () => {
  expect(await stage([[{ edit: "ask" }]]).of(callAt("msg_1"))).toBeNull();
});

test("what would be too many for the provider is withheld too, and is asked for with what the call lacks anyway", async () => {
  const lacking: (readonly string[])[] = [];
  const { of } = stage([[], [], []], (_, lacked) => {
    lacking.push([...lacked]);
    return lacked.size > 0 ? ["ctx_search"] : [];
  });
  expect(await of(callAt("msg_1", { ctx_expand: false }))).toEqual(["ctx_expand", "ctx_search"]);
  expect(lacking).toEqual([["ctx_expand"]]);
  // A host that names a call's tools has left them out before.
  expect(await of({ ...callAt("msg_2"), offered: new Set(own) })).toEqual([]);
  expect(lacking).toHaveLength(1);
});
