import { describe, expect, test } from "bun:test";
import type { ArrivingPrompt } from "../../../src/features/prompt.ts";
import type { LiveParts } from "../../../src/rooms/inbox/facts.ts";
import type { Happening, RowEffect } from "../../../src/rooms/inbox/happenings.ts";
import { inboxDatabase } from "../../../src/rooms/inbox/inbox-deps.ts";
import { runOnRows } from "../../../src/rooms/inbox/row-effects.ts";
import { session } from "../../storage/records.ts";
import { Workspace } from "../../storage/workspace.ts";
import { inputRecord, promptOf } from "./records.ts";

const workspace = new Workspace();

function stage() {
  const database = inboxDatabase(workspace.open(workspace.path()));
  const live = new Map<string, LiveParts>();
  const taken: Happening[] = [];
  let made = 0;
  const ids = {
    part: () => {
      made += 1;
      return `prt_${made}`;
    },
  };
  const deps = { database: () => database, ids, now: () => 500, directory: "/project" };
  const run = (effect: RowEffect) =>
    runOnRows({ deps, live, take: (one: Happening) => void taken.push(one) } as never, effect);
  const { inbox } = database;
  const admit = (id: string, ...partIds: readonly string[]) => {
    const parts = partIds.map((partId) => ({ id: partId, type: "text", text: partId }));
    const prompt = { ...promptOf(id), form: "resolved" as const, parts };
    return inbox.admit({ ...inputRecord(id, "steer"), prompt }).record;
  };
  const parts = (id: string) => inbox.prompt(id)?.parts.map((part) => part.id);
  return { inbox, live, taken, run, admit, parts };
}

function arriving(id: string): ArrivingPrompt {
  const model = { providerID: "p", modelID: "m" };
  const asked = { agent: null, model: null, variant: null };
  return { sessionId: session, message: { id, agent: "build", model }, parts: [], asked };
}

describe("a retry that is completed", () => {
  test("of a prompt that was turned back hands it over again; any other stays where it is", () => {
    for (const [turned, state] of [
      [true, "handed"],
      [false, "saved"],
    ] as const) {
      const { inbox, run, admit } = stage();
      admit("msg_1", "a");
      if (turned) inbox.turnBack("msg_1");
      else inbox.save(["msg_1"]);
      const record = inbox.find("msg_1");
      if (!record) throw new Error("a row");
      const prompt = arriving("msg_1");
      run({ kind: "complete", prompt, record, saved: null });
      expect(inbox.find("msg_1")?.state).toBe(state);
      expect(prompt.parts.map(({ id }) => id)).toEqual(["a"]);
    }
  });

  test("of a prompt that is settled has nothing stored to hand over", () => {
    const { inbox, run, admit } = stage();
    const record = { ...admit("msg_1", "a"), state: "refused" as const };
    inbox.settle("msg_1", "answered", 1);
    const prompt = arriving("msg_1");
    run({ kind: "complete", prompt, record, saved: null });
    expect([inbox.find("msg_1")?.state, prompt.parts]).toEqual(["answered", []]);
  });
});

describe("parts that another plugin takes out after us", () => {
  const parts = (...ids: readonly string[]) => ids.map((id) => ({ id }));

  test("leave the stored prompt, and no others", () => {
    const { live, run, admit, parts: stored } = stage();
    admit("msg_1", "a", "b", "c");
    live.set("msg_1", { ids: ["a", "b", "c"], live: parts("a", "c", "new") });
    run({ kind: "follow parts", messageId: "msg_1" });
    expect(stored("msg_1")).toEqual(["a", "c"]);
  });

  test("are none where nothing was taken out, or the prompt didn't come here", () => {
    const { live, run, admit, parts: stored } = stage();
    admit("msg_1", "a", "b");
    run({ kind: "follow parts", messageId: "msg_1" });
    live.set("msg_1", { ids: ["a", "b"], live: parts("a", "b") });
    run({ kind: "follow parts", messageId: "msg_1" });
    expect(stored("msg_1")).toEqual(["a", "b"]);
    live.set("msg_2", { ids: ["a"], live: [] });
    expect(() => run({ kind: "follow parts", messageId: "msg_2" })).not.toThrow();
  });
});

test("rows that are read are those that no boundary has had", () => {
  const { inbox, taken, run, admit } = stage();
  admit("msg_1", "a");
  admit("msg_2", "b");
  inbox.promote(["msg_1"], 3);
  run({ kind: "read rows", sessionId: session });
  expect(taken).toEqual([{ kind: "rows read", sessionId: session, unpromoted: ["msg_2"] }]);
});

test("a prompt that is replaced has another message, and parts of that; one that is gone has none", () => {
  const { inbox, run, admit, parts } = stage();
  admit("msg_1", "a", "b");
  run({ kind: "replace", id: "msg_1", messageId: "msg_9" });
  expect(inbox.find("msg_1")?.state).toBe("swallowed");
  const other = inbox.find("msg_9");
  expect(other).toMatchObject({ messageId: "msg_9", admittedAtMs: 500 });
  expect(parts(other?.id ?? "")).toEqual(["prt_1", "prt_2"]);
  expect(() => run({ kind: "replace", id: "gone", messageId: "msg_8" })).not.toThrow();
});
