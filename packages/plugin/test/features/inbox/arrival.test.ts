import { describe, expect, test } from "bun:test";
import type { ArrivingPrompt } from "../../../src/feature-api/prompt.ts";
import { handleArrival, PromptRefusedError } from "../../../src/features/inbox/arrival.ts";
import type { SendState } from "../../../src/features/inbox/in-flight-prompts.ts";
import { selectInboxStores } from "../../../src/features/inbox/inbox-deps.ts";
import { createInstance } from "../../../src/features/inbox/instance.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import { otherSession, session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { arriving, found, input, kinds, Process, type ProcessLog } from "./process.ts";
import { createPrompt, inputRecord } from "./records.ts";

const workspace = new Workspace();
const record = input("msg_a");
const LET_THROUGH = ["acquire", "later", "check sources"];

/** A prompt that we sent so, which comes in under this row. */
function sent(how: SendState, row: InputRecord | null): Process {
  const process = new Process();
  process.instance.traffic.recordSend(session, "msg_a", how);
  if (row) process.rows.set("msg_a", row);
  return process;
}

/** What is done up to a refusal, which the caller reads. */
async function refused(
  process: Process,
): Promise<{ did: readonly ProcessLog[]; why: PromptRefusedError }> {
  process.did();
  const why = await handleArrival(process.instance, arriving("msg_a")).catch((error) => error);
  expect(why).toBeInstanceOf(PromptRefusedError);
  return { did: process.did(), why };
}

describe("a prompt that comes", () => {
  test("from outside is admitted before anything else", async () => {
    const did = await new Process().comes("msg_a");
    expect(did[0]).toEqual({ kind: "admit", id: "msg_a" });
    expect(kinds(did)).toEqual(["admit", ...LET_THROUGH]);
  });

  test("is one of those that no boundary has held, beside what the session's rows say", async () => {
    const process = new Process();
    process.working = [input("msg_z"), input("msg_y", { promotedAtMs: 1 })];
    const { unpromoted } = process.instance;
    await process.comes("msg_a");
    expect([...unpromoted.listIds(session)]).toEqual(["msg_z"]);
    process.working = [];
    await process.comes("msg_b");
    expect([...unpromoted.listIds(session)]).toEqual(["msg_z", "msg_b"]);
    expect([unpromoted.has(session, "msg_b"), unpromoted.has(otherSession, "msg_b")]).toEqual([
      true,
      false,
    ]);
    unpromoted.forget(session);
    expect([...unpromoted.listIds(session)]).toEqual([]);
  });

  test("and that we sent is brought in, once", async () => {
    const process = sent("first", record);
    process.stored = { form: "given", reply: "none" };
    expect(await process.comes("msg_a")).toContainEqual({
      ...{ kind: "resolve", id: "msg_a", agent: "build" },
    });
    expect((await process.comes("msg_a"))[0]).toEqual({ kind: "admit", id: "msg_a" });
  });

  test("and that we sent as it is stored asks the host what it has of it", async () => {
    expect(kinds(await sent("whole", record).comes("msg_a"))).toEqual([
      ...LET_THROUGH,
      "read message",
    ]);
  });

  test("and whose row is gone is admitted like one from outside", async () => {
    const process = sent("whole", null);
    expect(kinds(await process.comes("msg_a"))[0]).toBe("admit");
    process.rows.set("msg_a", record);
    expect(kinds(await process.comes("msg_a"))[0]).toBe("admit");
  });

  test("of the queue waits on where the session has become busy, and nothing else does", async () => {
    const row = input("msg_a", { delivery: "queue" });
    const held = sent("first", row);
    held.instance.traffic.recordRun(session);
    const { did, why } = await refused(held);
    expect(did).toEqual([{ kind: "turn back", id: "msg_a" }]);
    expect([why.reason, why.message]).toEqual([
      "held",
      "A queued prompt keeps waiting: the session has become busy.",
    ]);
    expect(held.instance.traffic.mayStillArrive("msg_a", "unsaved")).toBe(false);
    const comes = async (how: SendState, known: InputRecord, to: "busy" | "idle") => {
      const process = sent(how, known);
      if (to === "busy") process.instance.traffic.recordRun(session);
      return kinds(await process.comes("msg_a"));
    };
    const brought = [...LET_THROUGH, "read message"];
    expect(await comes("first", row, "idle")).toEqual(brought);
    expect(await comes("whole", row, "busy")).toEqual(brought);
    expect(await comes("first", record, "busy")).toEqual(brought);
  });

  test("is taken for arriving for two seconds, or until the session has run", async () => {
    const held = async (lateMs: number, rests: "rests" | "waits") => {
      const process = new Process();
      const { traffic } = process.instance;
      await process.comes("msg_b");
      process.clock.nowMs += lateMs;
      if (rests === "rests") traffic.recordIdle(session);
      traffic.recordSend(session, "msg_a", "first");
      process.rows.set("msg_a", input("msg_a", { delivery: "queue" }));
      return handleArrival(process.instance, arriving("msg_a")).then(
        () => false,
        () => true,
      );
    };
    expect(await held(1_999, "waits")).toBe(true);
    expect(await held(2_000, "waits")).toBe(false);
    expect(await held(0, "rests")).toBe(false);
  });

  test("without its sources goes back into the inbox, and is on its way no longer", async () => {
    const process = new Process();
    process.missing = ["team/a", "team/b"];
    const { did, why } = await refused(process);
    expect(did.at(-1)).toEqual({ kind: "turn back", id: "msg_a" });
    expect([why.reason, why.message]).toEqual([
      "unavailable",
      'The prompt was kept and not sent: team/a, team/b can\'t be loaded, and onUnavailable is "block". /ctx-resume tries again; onUnavailable: "omit" sends prompts without it.',
    ]);
    const working = [{ input: record, standing: "unsaved" }] as const;
    expect(kinds(await process.looks(found({ working })))).toEqual(["show"]);
  });

  test("is asked of its sources by agent and model", async () => {
    const process = new Process();
    const asked: unknown[] = [];
    const deps = {
      ...process.deps,
      missingSources: async (call: object) => {
        asked.push(call);
        return [];
      },
    };
    await handleArrival(
      createInstance(deps, () => undefined),
      arriving("msg_a"),
    );
    expect(asked).toEqual([
      { sessionId: session, agent: "build", providerId: "anthropic", modelId: "claude" },
    ]);
  });

  test("under a taken id is a conflict that says of what, and does nothing more", async () => {
    const text = async (other: InputRecord) => {
      const process = new Process();
      process.admission = "conflict";
      process.rows.set("msg_a", other);
      const { did, why } = await refused(process);
      expect([kinds(did), why.reason]).toEqual([["admit"], "conflict"]);
      return why.message;
    };
    const another = { ...record, sessionId: otherSession };
    expect(await text(another)).toContain("a prompt of another session.");
    expect(await text({ ...record, delivery: "queue" })).toContain("a prompt of the queue.");
    expect(await text(record)).toContain("a different prompt of this session.");
  });
});

describe("the same prompt again", () => {
  /** The row as it was admitted, and as it is when the host has been asked. */
  const again = async (
    before: InputRecord["state"],
    now: InputRecord["state"] | "gone",
    host: "has" | "lost",
  ) => {
    const process = new Process();
    process.admission = "retry";
    process.rows.set("msg_a", input("msg_a", { state: before }));
    const read = process.deps.host.message;
    process.deps.host.message = async (...asked) => {
      if (now === "gone") process.rows.delete("msg_a");
      else process.rows.set("msg_a", input("msg_a", { state: now }));
      return read(...asked);
    };
    process.saved = host === "has" ? { info: {}, partIds: [] } : null;
    return process.comes("msg_a");
  };
  const anew = ["admit", "read message", "settle", "forget", "admit", ...LET_THROUGH];
  const completed = ["admit", "read message", ...LET_THROUGH];

  test("asks the host what it has, and completes that", async () => {
    expect(kinds(await again("handed", "saved", "has"))).toEqual(completed);
    expect(kinds(await again("handed", "gone", "lost"))).toEqual(completed);
  });

  test("is a new prompt where the host has lost it, or it is over and was taken back", async () => {
    for (const state of ["saved", "promoted", "answered", "recorded", "undone"] as const) {
      const did = await again(state, state, "lost");
      expect(kinds(did)).toEqual(anew);
      expect(did).toContainEqual({ kind: "settle", id: "msg_a", state: "undone" });
      expect(kinds(await again(state, state, "has"))).toEqual(completed);
    }
    expect(kinds(await again("handed", "handed", "lost"))).toEqual(completed);
    expect(kinds(await again("refused", "refused", "lost"))).toEqual([...completed, "hand"]);
    // The host was asked before it saved it.
    expect(kinds(await again("handed", "saved", "lost"))).toEqual(completed);
  });
});

describe("what is in the rows of a prompt that comes again", () => {
  /** Rows of their own, and a host that has so many of its parts; null: not even the message. */
  function stage(partIds: readonly string[] | null) {
    const database = selectInboxStores(workspace.open(workspace.path()));
    const process = new Process();
    process.saved = partIds && { info: {}, partIds };
    const instance = createInstance({ ...process.deps, database: () => database }, () => undefined);
    const comes = async (...ids: readonly string[]) => {
      const parts = ids.map((id) => ({ id, type: "text", text: "Go" }));
      const prompt: ArrivingPrompt = { ...arriving("msg_1"), parts };
      await handleArrival(instance, prompt);
      return prompt.parts.map(({ id }) => id);
    };
    const state = () => database.inbox.find("msg_1")?.state;
    return { inbox: database.inbox, instance, comes, state };
  }

  test("completes what the host lacks; one that was turned back is handed over again, any other stays where it is", async () => {
    const turned = stage(null);
    await turned.comes("a", "b");
    turned.inbox.turnBack("msg_1");
    expect([await turned.comes("a", "b"), turned.state()]).toEqual([["a", "b"], "handed"]);
    const saved = stage(["a"]);
    await saved.comes("a", "b");
    saved.inbox.save(["msg_1"]);
    expect([await saved.comes("a", "b"), saved.state()]).toEqual([["b"], "saved"]);
  });

  test("has nothing to complete where it is settled", async () => {
    const { inbox, comes, state } = stage(["a"]);
    await comes("a");
    inbox.settle("msg_1", "answered", 1);
    expect([await comes("a"), state()]).toEqual([[], "answered"]);
  });

  test("takes what the host resolves where it was admitted by code, and gives what is stored then", async () => {
    const { inbox, instance, comes } = stage(null);
    inbox.admit({ ...inputRecord("msg_1", "steer"), prompt: createPrompt("Go") });
    instance.traffic.recordSend(session, "msg_1", "first");
    await comes("p1");
    const model = { providerID: "anthropic", modelID: "claude" };
    expect(inbox.prompt("msg_1")).toMatchObject({ form: "resolved", agent: "build", model });
    instance.traffic.recordSend(session, "msg_1", "whole");
    expect(await comes()).toEqual(["p1"]);
  });

  test("is one that no boundary has held yet, where none has", async () => {
    const { inbox, instance, comes } = stage(["a"]);
    inbox.admit({ ...inputRecord("msg_0", "steer"), prompt: createPrompt("Go") });
    inbox.promote(["msg_0"], 3);
    await comes("a");
    expect([...instance.unpromoted.listIds(session)]).toEqual(["msg_1"]);
  });
});
