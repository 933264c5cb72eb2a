import { describe, expect, test } from "bun:test";
import type { ArrivingPrompt, StoredPrompt } from "../../../src/features/prompt.ts";
import type { Dispatch } from "../../../src/features/prompt-host.ts";
import type { Happening, HostEffect, Settings } from "../../../src/rooms/inbox/happenings.ts";
import { runOnHost } from "../../../src/rooms/inbox/host-effects.ts";
import { inboxDatabase } from "../../../src/rooms/inbox/inbox-deps.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { inputRecord, promptOf } from "./records.ts";

const workspace = new Workspace();
const model = { providerID: "anthropic", modelID: "claude" };
const other = { providerID: "openai", modelID: "gpt" };
const newest: Settings = { agent: "plan", model, variant: "high" };

function stage(missing: readonly string[] = []) {
  const { inbox } = inboxDatabase(workspace.open(workspace.path()));
  const sent: Dispatch[] = [];
  const taken: Happening[] = [];
  const asked: object[] = [];
  const host = {
    isBroken: false,
    state: "idle",
    activity: async () => host.state,
    send: async (dispatch: Dispatch) => {
      if (host.isBroken) throw new Error("refused");
      sent.push(dispatch);
    },
    message: async () => ({ info: {}, partIds: ["p1"] }),
  };
  let made = 0;
  const ids = {
    part: () => {
      made += 1;
      return `prt_${made}`;
    },
  };
  const missingSources = async (question: object) => {
    asked.push(question);
    return missing;
  };
  const deps = {
    ...{ database: () => ({ inbox }), host, ids, missingSources },
    now: () => 500,
  };
  const context = { deps, live: new Map(), take: async (one: Happening) => void taken.push(one) };
  const run = (effect: HostEffect) => runOnHost(context as never, effect);
  const admit = (delivery: "queue" | "steer", prompt: Partial<StoredPrompt> = {}) =>
    inbox.admit({ ...inputRecord("msg_1", delivery), prompt: { ...promptOf("Go"), ...prompt } })
      .record;
  return { inbox, sent, taken, asked, host, run, admit };
}

describe("a queued prompt that is handed to the host", () => {
  const settings = async (prompt: Partial<StoredPrompt>) => {
    const { sent, run, admit } = stage();
    await run({ kind: "hand", input: admit("queue", prompt), messageId: "msg_9", newest });
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
    const { inbox, sent, taken, run, admit } = stage();
    await run({ kind: "hand", input: admit("queue"), messageId: "msg_9", newest });
    const parts = [{ type: "text", text: "Go", id: "prt_1" }];
    expect(sent).toMatchObject([{ sessionId: session, messageId: "msg_9", reply: "wanted" }]);
    expect(sent[0]?.prompt.parts).toEqual(parts);
    expect(inbox.find("msg_9")).toMatchObject({ id: "msg_1", state: "handed" });
    expect(taken).toEqual([
      { kind: "sending", sessionId: session, messageId: "msg_9", how: "first" },
    ]);
  });

  test("is not sent where it is gone", async () => {
    const { inbox, sent, run, admit } = stage();
    const input = admit("queue");
    inbox.settle(input.id, "dropped", 1);
    await run({ kind: "hand", input, messageId: "msg_9", newest });
    expect(sent).toEqual([]);
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
      const { sent, taken, run, admit } = stage();
      await run({ kind: "send", input: admit("steer", { form: stored }), as });
      expect(taken).toMatchObject([{ kind: "sending", how }]);
      expect([sent[0]?.reply, sent[0]?.prompt.parts.length]).toEqual([reply, parts]);
    }
  });

  test("is handed over again where it was turned back; one that is gone, or has no message, is not sent", async () => {
    const { inbox, sent, run, admit } = stage();
    admit("steer");
    inbox.turnBack("msg_1");
    const refused = inbox.find("msg_1");
    if (!refused) throw new Error("a row");
    await run({ kind: "send", input: refused, as: "alone" });
    expect([inbox.find("msg_1")?.state, sent.length]).toEqual(["handed", 1]);
    await run({ kind: "send", input: { ...refused, messageId: null }, as: "alone" });
    await run({ kind: "send", input: { ...refused, id: "gone" }, as: "alone" });
    expect(sent).toHaveLength(1);
  });

  test("that the host refuses is known not to be sent, and whoever asked hears of it", async () => {
    const { host, taken, run, admit } = stage();
    host.isBroken = true;
    await expect(run({ kind: "send", input: admit("steer"), as: "alone" })).rejects.toThrow(
      "refused",
    );
    expect(taken.at(-1)).toEqual({ kind: "not sent", messageId: "msg_1" });
  });
});

describe("what the host is asked", () => {
  const message = { id: "msg_1", agent: "build", model };
  const asked = { agent: null, model: null, variant: null };
  const prompt: ArrivingPrompt = { sessionId: session, message, parts: [], asked };

  test("of a retry: what it has saved, beside the row as it is by then", async () => {
    const { taken, run, admit } = stage();
    const record = admit("steer");
    await run({ kind: "read retry", prompt, record });
    expect(taken).toMatchObject([
      { kind: "retry read", record, current: record, saved: { partIds: ["p1"] } },
    ]);
    const gone = { ...record, id: "gone" };
    await run({ kind: "read retry", prompt, record: gone });
    expect(taken[1]).toMatchObject({ current: gone });
  });

  test("of the sources that a prompt requires: by agent and model, and only what is missing is heard of", async () => {
    const { asked: questions, taken, run, admit } = stage();
    await run({ kind: "check sources", prompt, record: admit("steer") });
    expect(questions).toEqual([
      { sessionId: session, agent: "build", providerId: "anthropic", modelId: "claude" },
    ]);
    expect(taken).toEqual([]);
    const lacking = stage(["team/x"]);
    await lacking.run({ kind: "check sources", prompt, record: lacking.admit("steer") });
    expect(lacking.taken).toMatchObject([{ kind: "sources missing", keys: ["team/x"] }]);
  });

  test("of a session: whether it is idle, and then which prompt it is about", async () => {
    const { host, taken, run, admit } = stage();
    admit("steer");
    host.state = "busy";
    await run({ kind: "check idle", sessionId: session, messageId: "msg_1" });
    expect(taken).toEqual([]);
    host.state = "idle";
    await run({ kind: "check idle", sessionId: session, messageId: "msg_1" });
    expect(taken).toMatchObject([{ kind: "still idle", input: { id: "msg_1" } }]);
  });

  test("one of ours that comes in takes what the host resolves, or gives what is stored", async () => {
    const { inbox, run, admit } = stage();
    const record = admit("steer");
    const arriving = { ...prompt, parts: [{ id: "p1", type: "text", text: "Go" }] };
    await run({ kind: "bring in", prompt: arriving, record });
    expect(inbox.prompt("msg_1")).toMatchObject({ form: "resolved", agent: "build", model });
    const again = { ...prompt, parts: [] };
    await run({ kind: "bring in", prompt: again, record });
    expect(again.parts).toEqual([]);
  });
});
