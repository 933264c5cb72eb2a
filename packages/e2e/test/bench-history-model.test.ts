import { afterEach, describe, expect, test } from "bun:test";
import { Answerer } from "../src/bench/history/answerer.ts";
import {
  type CallNote,
  type FrugalProvider,
  type ModelRequest,
  startFrugalProvider,
} from "../src/bench/history/frugal-provider.ts";
import { renderPicture } from "../src/bench/history/picture.ts";
import type { PlayedCall, PlayedSession } from "../src/bench/history/play-session.ts";
import { type Fact, step, type WorkTurn } from "../src/bench/history/session-script.ts";
import { listRewrites, tallySessions } from "../src/bench/history/tally.ts";
import { say } from "../src/provider/reply.ts";

const FACT: Fact = {
  kind: "output",
  line: "queue osta: drained 48213 messages",
  answer: "48213",
  question: "How many messages were drained from osta?",
  query: "drained osta",
};
const WORK: WorkTurn = {
  type: "work",
  prompt: "Do it",
  steps: [
    step({ name: "bash", input: { command: "ls" } }),
    { calls: [{ name: "read", input: { filePath: "a.ts" } }], unlessShown: "marker" },
  ],
  answer: "Done it.",
  facts: [],
};
const QUESTION = { type: "question", fact: FACT, age: 3 } as const;

function heard(text: string, tools: readonly string[] = [], result = ""): ModelRequest {
  const content = [{ type: "tool_result", tool_use_id: "call_1", content: result }];
  const body = { tools: tools.map((name) => ({ name })), messages: [{ role: "user", content }] };
  return { kind: "main", session: "s", model: "m", body, text, blocks: [] };
}

describe("the scripted model", () => {
  test("works through its steps, leaves out what it sees already, and then answers", () => {
    const answerer = new Answerer("look-up");
    answerer.begin(WORK);
    expect(answerer.respond(heard("nothing"))).toMatchObject({ calls: [{ name: "bash" }] });
    expect(answerer.respond(heard("nothing"))).toMatchObject({ calls: [{ name: "read" }] });
    expect(answerer.respond(heard("nothing"))).toMatchObject({ text: "Done it." });
    answerer.begin(WORK);
    answerer.respond(heard("marker"));
    expect(answerer.respond(heard("marker"))).toMatchObject({ text: "Done it." });
    expect(answerer.respond(heard("marker"))).toMatchObject({ calls: [] });
  });

  test("answers from its context, else after one look-up, else not at all", () => {
    const outcomes = (["look-up", "none"] as const).flatMap((lookUps) => {
      const answerer = new Answerer(lookUps);
      const ask = (...given: readonly ModelRequest[]) => {
        answerer.begin(QUESTION);
        for (const one of given) answerer.respond(one);
      };
      const search = heard("", ["ctx_search"]);
      ask(heard("… drained 48213 messages …"));
      ask(search, heard("", ["ctx_search"], FACT.line));
      ask(search, heard("48213 stands elsewhere", ["ctx_search"], "Nothing found"));
      ask(heard("", ["bash"]));
      return [answerer.asked.map(({ outcome }) => outcome)];
    });
    expect(outcomes).toEqual([
      ["context", "look-up", "not found", "not known"],
      ["context", "not known", "not known", "not known"],
    ]);
    const asking = new Answerer("look-up");
    asking.begin(QUESTION);
    expect(asking.respond(heard("", ["ctx_search"]))).toMatchObject({
      calls: [{ name: "ctx_search", input: { query: FACT.query } }],
    });
  });

  test("is refused with 429 as often as it is asked to", () => {
    const answerer = new Answerer("look-up");
    answerer.begin(WORK);
    answerer.refuse(2);
    const types = [1, 2, 3].map(() => answerer.respond(heard("")).type);
    expect(types).toEqual(["failure", "failure", "answer"]);
  });
});

describe("the provider of long sessions", () => {
  let provider: FrugalProvider | undefined;
  afterEach(() => provider?.stop());

  test("bills what it answers, and refuses what is too long or not valid", async () => {
    const { url, notes, rejections, tooLong } = await open(1_000);
    expect((await post(url, request("short", "x"))).status).toBe(200);
    const long = await post(url, request("x".repeat(8_000), "x"));
    expect([long.status, await long.text()]).toEqual([
      400,
      expect.stringMatching(/prompt is too long: 20\d\d tokens > 1000 maximum/),
    ]);
    expect((await post(url, { ...request("x", "x"), messages: [] })).status).toBe(400);
    expect([notes.length, tooLong.length, rejections.length]).toEqual([1, 1, 1]);
    expect(notes[0]?.bill).toBe(notes[0]?.promptTokens ?? 0);
  });

  test("says of each call what it repeats of the one before it", async () => {
    const { url, notes } = await open(10_000);
    for (const texts of [["one"], ["one", "two"], ["other", "two", "three"]]) {
      await post(url, request(...texts));
    }
    expect(notes.map(({ grows }) => grows)).toEqual([true, true, false]);
    expect(notes[1]?.keptTokens).toBe(notes[0]?.promptTokens ?? 0);
    expect(notes[2]?.keptTokens).toBeLessThan(notes[1]?.keptTokens ?? 0);
  });

  async function open(windowTokens: number): Promise<FrugalProvider> {
    provider = await startFrugalProvider({
      respond: () => say("Yes."),
      windowTokens,
      clock: () => 0,
    });
    return provider;
  }
});

function request(...texts: readonly string[]) {
  const content = texts.map((text) => ({ type: "text", text }));
  const tools = [{ name: "bash", input_schema: {} }];
  return { model: "m", tools, messages: [{ role: "user", content }] };
}

function post(url: string, body: object): Promise<Response> {
  return fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify(body) });
}

const NOTE: CallNote = {
  ...{ arrivedMs: 0, kind: "main", session: "s", promptTokens: 100, bill: 10 },
  usage: { inputTokens: 0, writeTokens: 0, readTokens: 100, outputTokens: 1 },
  ...{ keptTokens: 0, grows: true, stubs: 0, foldTokens: 0 },
};
const called = (change: Partial<PlayedCall>): PlayedCall => ({ ...NOTE, turn: 0, ...change });

describe("what a session comes to", () => {
  const calls = [
    called({ kind: "title", bill: 5 }),
    called({}),
    called({ grows: false, stubs: 2 }),
    called({ grows: false, stubs: 1, foldTokens: 50 }),
    called({ kind: "compaction", bill: 30 }),
    called({ grows: false, foldTokens: 50, stubs: 1, promptTokens: 40, turn: 1 }),
  ];
  const session: PlayedSession = {
    script: { name: "one", files: {}, turns: [WORK, QUESTION] },
    calls,
    asked: [
      { fact: FACT, outcome: "context", found: "" },
      { fact: FACT, outcome: "not found", found: "" },
      { fact: { ...FACT, kind: "decision" }, outcome: "context", found: "" },
      { fact: { ...FACT, kind: "user" }, outcome: "look-up", found: "" },
    ],
    ...{ rewrites: [], tooLong: [7], failed: [] },
  };

  test("counts every call, and what no longer begins as the call before it did", () => {
    expect(listRewrites(calls).map(({ kind }) => kind)).toEqual(["drops", "folds", "compaction"]);
    expect(tallySessions([session])).toMatchObject({
      ...{ questions: 4, fromContext: 2, byLookUp: 1, bill: 75, calls: 6, compactions: 1 },
      spoken: { questions: 2, fromContext: 1 },
      ...{ peakTokens: 100, tooLong: 1, failed: 0, regretTokens: null },
      rewrites: { drops: 1, folds: 1, compaction: 1, other: 0 },
    });
  });

  test("is drawn call by call, with both hosts' sums as text", () => {
    const svg = renderPicture(session, { ...session, calls: calls.slice(0, 2) }, 100);
    expect(svg.match(/<path/g)).toHaveLength(4);
    expect(svg).toContain("OpenCode alone: 3 of 4 questions answered, 1 compaction, billed as 75");
    expect(svg).toContain("with Session Runtime: 3 of 4 questions answered, 0 compactions");
    // Four calls of the session's own, two points each.
    expect(svg.match(/class="without" d="(M\S+ \S+L[^"]+)"/)?.[1]?.split("L")).toHaveLength(8);
  });
});
