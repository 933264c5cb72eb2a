import { describe, expect, test } from "bun:test";
import type { Dispatch, StoredPrompt } from "../../../src/feature-api/prompt.ts";
import { runCheck } from "../../../src/features/inbox/check.ts";
import { selectInboxStores } from "../../../src/features/inbox/inbox-deps.ts";
import { createInstance } from "../../../src/features/inbox/instance.ts";
import { decide, type Settings } from "../../../src/features/inbox/plan.ts";
import { handToHost, sendInput } from "../../../src/features/inbox/send.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { found, Process } from "./process.ts";
import { createPrompt, inputRecord } from "./records.ts";

const workspace = new Workspace();
const model = { providerID: "anthropic", modelID: "claude" };
const other = { providerID: "openai", modelID: "gpt" };
const newest: Settings = { agent: "plan", model, variant: "high" };

/** Rows of their own, and a host that keeps what it is sent. */
function stage() {
  const database = selectInboxStores(workspace.open(workspace.path()));
  const { inbox } = database;
  const process = new Process();
  const sent: Dispatch[] = [];
  process.deps.host.send = async (dispatch) => {
    if (process.isBroken) throw new Error("refused");
    sent.push(dispatch);
  };
  const deps = { ...process.deps, database: () => database };
  const instance = createInstance(deps, () => undefined);
  const admit = (delivery: "queue" | "steer", prompt: Partial<StoredPrompt> = {}) =>
    inbox.admit({ ...inputRecord("msg_1", delivery), prompt: { ...createPrompt("Go"), ...prompt } })
      .record;
  return { inbox, process, sent, instance, admit };
}

describe("a queued prompt that is handed to the host", () => {
  const settings = async (prompt: Partial<StoredPrompt>) => {
    const { sent, instance, admit } = stage();
    await handToHost(instance, admit("queue", prompt), "msg_9", newest);
    const { agent, model: chosen, variant } = sent[0]?.prompt ?? {};
    return [agent, chosen, variant];
  };

  test("has the newest prompt's agent, model and variant where it names none", async () => {
    expect(await settings({})).toEqual(["plan", model, "high"]);
    expect(await settings({ agent: "build" })).toEqual(["build", model, "high"]);
    expect(await settings({ model: other })).toEqual(["plan", other, null]);
    expect(await settings({ model: other, variant: "low" })).toEqual(["plan", other, "low"]);
    expect(await settings({ variant: "low" })).toEqual(["plan", model, "low"]);
  });

  test("is stored under its message with parts of its own, before the host hears of it", async () => {
    const { inbox, process, sent, instance, admit } = stage();
    const states: unknown[] = [];
    const keep = process.deps.host.send;
    process.deps.host.send = async (dispatch) => {
      states.push(inbox.find("msg_9"));
      await keep(dispatch);
    };
    await handToHost(instance, admit("queue"), "msg_9", newest);
    const parts = [{ type: "text", text: "Go", id: "prt_0" }];
    expect(sent).toMatchObject([{ sessionId: session, messageId: "msg_9", reply: "wanted" }]);
    expect(sent[0]?.prompt.parts).toEqual(parts);
    expect(states).toMatchObject([{ id: "msg_1", state: "handed" }]);
    expect(inbox.prompt("msg_1")?.parts).toEqual(parts);
    expect(instance.traffic.claimSend("msg_9")).toBe("first");
  });

  test("is not sent where it is gone, or was handed meanwhile", async () => {
    const dropped = stage();
    const input = dropped.admit("queue");
    dropped.inbox.settle(input.id, "dropped", 1);
    await handToHost(dropped.instance, input, "msg_9", newest);
    expect(dropped.sent).toEqual([]);
    expect(dropped.instance.traffic.claimSend("msg_9")).toBeNull();
    const handed = stage();
    const twice = handed.admit("queue");
    await handToHost(handed.instance, twice, "msg_8", newest);
    await handToHost(handed.instance, twice, "msg_9", newest);
    expect(handed.sent.map(({ messageId }) => messageId)).toEqual(["msg_8"]);
    expect(handed.instance.traffic.claimSend("msg_9")).toBeNull();
  });
});

describe("a prompt that is sent again", () => {
  const form = "resolved" as const;

  test("without a call of its own in a batch, by its stored parts, or as a retry of what is saved", async () => {
    for (const [as, stored, how, reply, parts] of [
      ["batch", form, "whole", "none", 0],
      ["alone", form, "whole", "wanted", 0],
      ["alone", "given", "first", "wanted", 1],
      ["again", form, "again", "wanted", 0],
    ] as const) {
      const { sent, instance, admit } = stage();
      await sendInput(instance, admit("steer", { form: stored }), as);
      expect(instance.traffic.claimSend("msg_1")).toBe(how);
      expect([sent[0]?.reply, sent[0]?.prompt.parts.length]).toEqual([reply, parts]);
    }
  });

  test("is handed over again where it was turned back; one that is gone, or has no message, is not sent", async () => {
    const { inbox, sent, instance, admit } = stage();
    admit("steer");
    inbox.turnBack("msg_1");
    const refused = inbox.find("msg_1");
    if (!refused) throw new Error("a row");
    await sendInput(instance, refused, "alone");
    expect([inbox.find("msg_1")?.state, sent.length]).toEqual(["handed", 1]);
    await sendInput(instance, { ...refused, messageId: null }, "alone");
    await sendInput(instance, { ...refused, id: "gone" }, "alone");
    expect(sent).toHaveLength(1);
  });

  test("that the host refuses is known not to be sent, and whoever asked hears of it", async () => {
    const { process, instance, admit } = stage();
    process.isBroken = true;
    await expect(sendInput(instance, admit("steer"), "alone")).rejects.toThrow("refused");
    expect(instance.traffic.claimSend("msg_1")).toBeNull();
    expect(instance.traffic.mayStillArrive("msg_1", "unsaved")).toBe(false);
  });
});

test("a prompt that is replaced has another message, and parts of that; one that is gone has none", async () => {
  const { inbox, process, instance, admit } = stage();
  const input = admit("steer", { form: "resolved", parts: [{ id: "a" }, { id: "b" }] });
  const replaces = async (id: string) => {
    const working = [{ input: { ...input, id }, standing: "torn" }] as const;
    await runCheck(instance, {
      sessionId: session,
      cause: "resume",
      leave: () => "given",
      decide: (_, circumstances) => decide(found({ working }), circumstances),
    });
  };
  await replaces("gone");
  expect(inbox.find("msg_1")?.state).toBe("handed");
  await replaces("msg_1");
  expect(inbox.find("msg_1")?.state).toBe("swallowed");
  const [next] = inbox.working(session);
  expect(next).toMatchObject({ id: next?.messageId, admittedAtMs: process.clock.nowMs });
  const ids = inbox.prompt(String(next?.id))?.parts.map(({ id }) => id);
  expect(ids).toEqual([expect.stringMatching(/^prt_/), expect.stringMatching(/^prt_/)]);
  expect(new Set(ids).size).toBe(2);
});
