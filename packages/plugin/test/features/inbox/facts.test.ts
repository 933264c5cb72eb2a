import { describe, expect, test } from "bun:test";
import type { HistoryMessage } from "../../../src/feature-api/prompt.ts";
import { askHost, gatherFacts, readOpenRows } from "../../../src/features/inbox/check.ts";
import type { InputRecord } from "../../../src/features/inbox/records.ts";
import { session } from "../../storage/records.ts";

const input = (id: string, changes: Partial<InputRecord> = {}) =>
  ({ sessionId: session, id, messageId: id, state: "saved", ...changes }) as InputRecord;
const user = (id: string, info: object = {}): HistoryMessage => ({
  info: { id, role: "user", ...info },
  parts: [{ id: `${id}.0`, type: "text" }],
});
const model = { providerID: "anthropic", modelID: "claude" };

interface World {
  working: InputRecord[];
  waiting: InputRecord[];
  host: "there" | "gone";
  activity: "idle" | "busy";
  history: HistoryMessage[];
}

function stage(changes: Partial<World> = {}) {
  const world: World = {
    ...{ working: [input("m1")], waiting: [], host: "there", activity: "idle" },
    history: [user("m1")],
    ...changes,
  };
  const windows: number[] = [];
  let made = 0;
  const inbox = {
    working: () => [...world.working],
    waiting: () => world.waiting.slice(0, 1),
    countWaiting: () => world.waiting.length,
    prompt: () => ({ form: "resolved", parts: [{ id: "m1.0" }, { id: "m1.1" }] }),
  };
  const host = {
    session: async () => (world.host === "there" ? { revert: "none" } : null),
    activity: async () => world.activity,
    history: async (_session: string, count: number) => {
      windows.push(count);
      return world.history.slice(-count);
    },
  };
  const ids = {
    createMessageId: () => {
      made += 1;
      return `fresh_${made}`;
    },
  };
  const known = readOpenRows(inbox as never, session);
  /** Null where the session does not rest. */
  const read = async () => {
    const resting = await askHost(host as never, session, known);
    if (!resting) return null;
    return () => gatherFacts({ rows: inbox as never, ids }, session, known, resting);
  };
  return { world, windows, read };
}

async function found(changes: Partial<World> = {}) {
  const facts = await stage(changes).read();
  if (!facts) throw new Error("It does not rest.");
  return facts();
}

describe("a look at a session", () => {
  test("finds nothing in a session that runs, or that the host does not have", async () => {
    expect(await stage({ host: "gone" }).read()).toBeNull();
    expect(await stage({ activity: "busy" }).read()).toBeNull();
    expect(await stage().read()).not.toBeNull();
  });

  test("begins with the rows that are open, and the next one of the queue", () => {
    const { world, read } = stage({ working: [], waiting: [input("q1", { messageId: null })] });
    expect(world.waiting).toHaveLength(1);
    return expect(read()).resolves.not.toBeNull();
  });

  test("finds where each prompt stands; one that was not seen yet is held against what is stored", async () => {
    const { working, turn, revert, head, waiting } = await found();
    expect(working.map(({ standing }) => standing)).toEqual(["unanswered"]);
    expect([turn.end, revert, head, waiting]).toEqual(["clean", "none", null, 0]);
    const unseen = await found({ working: [input("m1", { state: "handed" })] });
    expect(unseen.working.map(({ standing }) => standing)).toEqual(["unsaved"]);
  });

  test("has an unused id for each prompt, and one more", async () => {
    const { freshIds } = await found({ working: [input("m1"), input("m2")] });
    expect(freshIds).toEqual(["fresh_1", "fresh_2", "fresh_3"]);
  });

  test("says whether a prompt has come while the host was asked", async () => {
    const { world, read } = stage({ waiting: [input("q1")] });
    const facts = await read();
    if (!facts) throw new Error("It does not rest.");
    expect(facts()).toMatchObject({ since: "nothing" });
    world.working.push(input("m2"));
    expect(facts()).toMatchObject({ since: "a prompt" });
    world.working.pop();
    world.waiting.unshift(input("q0"));
    expect(facts()).toMatchObject({ since: "a prompt" });
    world.waiting.shift();
    expect(facts()).toMatchObject({ since: "nothing" });
  });
});

describe("of the history it reads", () => {
  const long = (length: number) => Array.from({ length }, (_, at) => user(`h${at}`));

  test("the newest part that has all prompts, eight times as much until then, or all of it", async () => {
    const rows = [
      [[user("m1")], [30]],
      [[...long(29), user("m1")], [30]],
      [
        [user("m1"), ...long(30)],
        [30, 240],
      ],
      [
        [user("m1"), ...long(300)],
        [30, 240, 1_920],
      ],
      [long(100), [30, 240]],
    ] as const;
    for (const [history, looked] of rows) {
      const { windows, read } = stage({ history: [...history] });
      await read();
      expect(windows).toEqual([...looked]);
    }
  });

  test("as far as the oldest of several prompts goes", async () => {
    const history = [user("m1"), ...long(40), user("m2")];
    const { windows, read } = stage({ working: [input("m1"), input("m2")], history });
    await read();
    expect(windows).toEqual([30, 240]);
  });

  test("as far as a prompt goes that has no message yet", async () => {
    const working = [input("m1", { messageId: null })];
    const { windows, read } = stage({ working, history: [...long(40), user("m1")] });
    await read();
    expect(windows).toEqual([30, 240]);
  });

  test("the newest prompt's agent, model and variant", async () => {
    const newest = async (...history: HistoryMessage[]) => (await found({ history })).newest;
    const none = { agent: null, model: null, variant: null };
    expect(await newest(user("m1"))).toEqual(none);
    const named = user("m1", { agent: "plan", model: { ...model, variant: "high" } });
    const answer = { info: { id: "a", role: "assistant", parentID: "m1" }, parts: [] } as never;
    expect(await newest(user("m0", { agent: "build", model }), named, answer)).toEqual({
      ...{ agent: "plan", model, variant: "high" },
    });
    expect(await newest(user("m1", { model }))).toEqual({ ...none, model });
    for (const part of [{ providerID: "anthropic" }, { modelID: "claude" }]) {
      expect(await newest(user("m1", { model: part }))).toEqual(none);
    }
  });
});
