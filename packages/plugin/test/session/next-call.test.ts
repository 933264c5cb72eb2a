import { describe, expect, test } from "bun:test";
import { computeNextCall } from "../../src/session/next-call.ts";
import { Scenes, sent } from "./scenes.ts";

// What the next call would be decided on is what it then is decided on.
const scenes = new Scenes();
const full = { call: { full: true } };

type Host = ReturnType<Scenes["open"]>["host"];

async function next(host: Host) {
  const { id, rows } = host.session(0);
  const call = await host.instance(0).runtime.computeNextCall(id, rows.all);
  if (!call) throw new Error("a next call");
  return call;
}

const ids = (messages: readonly { readonly info: { readonly id: string } }[]) =>
  messages.map(({ info }) => info.id);

describe("a session's next call", () => {
  test("has the history with what is folded now, and what was sent of it", async () => {
    const { host } = scenes.open({ history: "folds" });
    for (let prompt = 0; prompt < 3; prompt++) await host.prompt(0);
    const call = sent(await host.prompt(0, full));
    const { messages, projected, standing, watermark } = await next(host);
    expect(standing.map(({ edit }) => edit?.verb)).toEqual(["fold"]);
    expect(projected.length).toBeLessThan(messages.length);
    expect(watermark?.messageId).toBe(ids(call.array).at(-1));
  });

  test("begins with a finished compaction, as the host sends it", async () => {
    const { host } = scenes.open();
    await host.prompt(0);
    await host.prompt(0);
    await host.compact(0);
    await host.prompt(0);
    const { messages } = await next(host);
    expect(messages[0]?.parts.map(({ type }) => type)).toEqual(["compaction"]);
    expect(ids(messages)).toEqual(ids(host.session(0).rows.visible()));
  });

  test("is there after a restart; a session without a prompt has none", async () => {
    const { host } = scenes.open();
    expect(await host.instance(0).runtime.computeNextCall(host.session(0).id, [])).toBeNull();
    await host.prompt(0);
    host.restart();
    expect((await next(host)).watermark).not.toBeNull();
  });
});

describe("the history of a next call", () => {
  const model = { providerID: "anthropic", modelID: "opus" };
  const time = { created: 1 };
  const user = (id: string, ...types: readonly string[]) => ({
    info: { id, sessionID: "ses", role: "user", agent: "build", model, time },
    parts: types.map((type, index) => ({ id: `${id}.${index}`, type })),
  });
  const answer = (parentID: string, info: object = {}) => ({
    info: { id: `${parentID}-a`, sessionID: "ses", role: "assistant", parentID, ...info },
    parts: [],
  });
  const done = { summary: true, finish: "stop" };
  const asked: object[] = [];

  async function from(listed: readonly object[], prune: "on" | "off" = "off") {
    const memory = {
      sessionId: "ses",
      ledger: { epochs: [], entries: [], damagedSeqs: [] },
      lastTurn: null,
    };
    const deps = {
      location: { directory: "/p", worktree: "/p" },
      hostPrune: () => prune,
      measureSpace: (question: object) => void asked.push(question),
    };
    return computeNextCall(deps as never, memory as never, listed as never);
  }

  const rows: readonly (readonly [string, readonly object[], string])[] = [
    ["nothing was compacted", [user("u1", "text"), answer("u1"), user("u2", "text")], "u1"],
    [
      "a compaction has its summary",
      [user("u1", "text"), user("c1", "text", "compaction"), answer("c1", done), user("u2")],
      "c1",
    ],
    ["it has none yet", [user("u1", "text"), user("c1", "compaction")], "u1"],
    [
      "its summary is not finished",
      [user("u1"), user("c1", "compaction"), answer("c1", { summary: true })],
      "u1",
    ],
    [
      "its summary failed",
      [user("u1"), user("c1", "compaction"), answer("c1", { ...done, error: {} })],
      "u1",
    ],
    [
      "its answer is no summary",
      [user("u1"), user("c1", "compaction"), answer("c1", { finish: "stop" })],
      "u1",
    ],
    ["a prompt has a summary", [user("u1"), user("u2", "text"), answer("u2", done)], "u1"],
    [
      "a user's row says that it is summarised",
      [
        user("u1"),
        { ...user("c1", "compaction"), info: { ...user("c1").info, ...done, parentID: "c1" } },
      ],
      "u1",
    ],
    [
      "a later one was never finished",
      [user("u1"), user("c1", "compaction"), answer("c1", done), user("c2", "compaction")],
      "c1",
    ],
  ];
  test.each(rows)("begins where it has to: %s", async (_what, listed, first) => {
    expect((await from(listed))?.messages[0]?.info.id).toBe(first);
  });

  test("has results as they were sent where the host's prune has blanked them", async () => {
    const time = { start: 1, end: 2, compacted: 3 };
    const state = { status: "completed", input: {}, output: "long", time };
    const part = { id: "t", type: "tool", tool: "bash", callID: "c", state };
    const listed = [{ ...user("u1", "text"), parts: [part] }];
    const blanked = async (prune: "on" | "off") =>
      JSON.stringify((await from(listed, prune))?.messages).includes("compacted");
    expect([await blanked("off"), await blanked("on")]).toEqual([true, false]);
  });

  test("is asked for its room by its session, model and what would be sent", async () => {
    asked.length = 0;
    await from([user("u1", "text")]);
    expect(asked).toMatchObject([
      { sessionId: "ses", providerId: "anthropic", modelId: "opus", projected: [{}] },
    ]);
  });
});
