import { describe, expect, test } from "bun:test";
import { parseAnswer } from "../../../src/features/search/embedding-answer.ts";
import {
  describeFault,
  EmbeddingCaller,
  embed,
  toEndpointUrl,
} from "../../../src/features/search/embedding-caller.ts";
import { answerTo, endpoint, type Misbehave, vectorFor } from "./vector-endpoint-server.ts";

const MODEL = "ideas-1";
const stop = new AbortController().signal;

const TIMEOUT_MS = 20_000;

async function asked(misbehave: Misbehave, timeoutMs = TIMEOUT_MS) {
  const { url, state } = await endpoint();
  state.misbehave = misbehave;
  const call = { texts: ["a price", "a heron"], dimensions: 7, timeoutMs, stop };
  return embed({ url, model: MODEL, key: null }, call);
}

const fault = (one: object) => ({ kind: "fault", fault: one });
const json = (value: unknown) => () => Response.json(value as object);
const given = (embedding: unknown) =>
  json({ model: MODEL, data: [{ embedding: vectorFor("x") }, { embedding }] });

describe("one call", () => {
  test("asks for the model's vectors, by key, and gives them with length 1 in the order of the texts", async () => {
    const { url, requests, state } = await endpoint();
    state.misbehave = (request) => {
      const { data, ...rest } = answerTo(request, MODEL);
      return Response.json({ ...rest, data: data.toReversed() });
    };
    const call = { texts: ["a price", "a heron"], dimensions: null, timeoutMs: TIMEOUT_MS, stop };
    const answer = await embed({ url, model: MODEL, key: "k-1" }, call);
    if (answer.kind !== "vectors") throw new Error(JSON.stringify(answer));
    for (const [at, text] of call.texts.entries()) {
      const length = Math.hypot(...vectorFor(text));
      const found = [...(answer.vectors[at] ?? [])];
      expect(found).toEqual(vectorFor(text).map((one) => Math.fround(one / length)));
    }
    expect(requests).toEqual([
      { path: "/v1/embeddings", authorization: "Bearer k-1", model: MODEL, input: call.texts },
    ]);
  });

  test("an endpoint that needs no key gets none", async () => {
    const { url, requests } = await endpoint();
    const call = { texts: ["a price"], dimensions: 7, timeoutMs: TIMEOUT_MS, stop };
    expect(await embed({ url, model: MODEL, key: null }, call)).toMatchObject({ kind: "vectors" });
    expect(requests).toMatchObject([{ authorization: undefined }]);
  });

  test("an address with or without its last part and slashes is the same", () => {
    for (const end of ["", "/", "/embeddings", "/embeddings/"]) {
      expect(toEndpointUrl(`http://h/v1${end}`)).toBe("http://h/v1/embeddings");
    }
  });

  const bodies: readonly (readonly [string, Misbehave, object])[] = [
    ["500", () => new Response("x", { status: 500 }), { kind: "busy", status: 500, waitMs: null }],
    [
      "429 with a wait",
      () => new Response("", { status: 429, headers: { "retry-after": "7" } }),
      { kind: "busy", status: 429, waitMs: 7_000 },
    ],
    [
      "429 with a wait of a year",
      () => new Response("", { status: 429, headers: { "retry-after": "31536000" } }),
      { kind: "busy", status: 429, waitMs: 60_000 },
    ],
    [
      "429 without a wait",
      () => new Response("", { status: 429, headers: { "retry-after": "0" } }),
      { kind: "busy", status: 429, waitMs: 0 },
    ],
    [
      "429 with a date to wait for",
      () => new Response("", { status: 429, headers: { "retry-after": "Fri, 31 Dec 2027" } }),
      { kind: "busy", status: 429, waitMs: null },
    ],
    ["425", () => new Response("", { status: 425 }), { kind: "busy", status: 425, waitMs: null }],
    [
      "no content",
      () => new Response(null, { status: 204 }),
      { kind: "malformed", why: "it is not JSON" },
    ],
    ["401", () => new Response("", { status: 401 }), { kind: "refused", status: 401 }],
    [
      "a redirection",
      () => new Response("", { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
      { kind: "unreachable", why: expect.any(String) },
    ],
    ["not JSON", () => new Response("<html>"), { kind: "malformed", why: "it is not JSON" }],
    ["null", json(null), { kind: "malformed", why: "it is not JSON" }],
    ["no data", json({ model: MODEL }), { kind: "malformed", why: "it does not have 2 vectors" }],
    [
      "too few",
      json({ model: MODEL, data: [{ embedding: [1] }] }),
      { kind: "malformed", why: "it does not have 2 vectors" },
    ],
    [
      "one twice",
      json({ data: [0, 0].map((index) => ({ index, embedding: vectorFor("x") })) }),
      { kind: "malformed", why: "its order" },
    ],
    [
      "an index out of range",
      json({ data: [0, 2 ** 31].map((index) => ({ index, embedding: vectorFor("x") })) }),
      { kind: "malformed", why: "its order" },
    ],
    [
      "another model",
      json({ ...answerTo({ input: ["a", "b"] }, "other-2") }),
      { kind: "model", served: "other-2" },
    ],
    [
      "other dimensions",
      json({ data: [{ embedding: [1, 2] }, { embedding: [1, 2] }] }),
      { kind: "dimensions", given: 2, known: 7 },
    ],
    ["several lengths", given([1, 2]), { kind: "malformed", why: "vectors of several lengths" }],
  ];
  for (const [name, misbehave, expected] of bodies) {
    test(`${name}: is a fault, and no vector`, async () => {
      expect(await asked(misbehave)).toEqual(fault(expected) as never);
    });
  }

  test("silence: is a fault after its time", async () => {
    expect(await asked(() => "silence", 300)).toEqual(fault({ kind: "timeout" }) as never);
  });

  const NUMBERS = { kind: "malformed", why: "a vector is not a list of finite numbers" };
  for (const [name, embedding] of [
    ["null in it", [1, null, 1, 1, 1, 1, 1]],
    ["texts in it", [1, "NaN", 1, 1, 1, 1, 1]],
    ["nothing", []],
    ["a text", "AACAPw=="],
    ["20,000 numbers", Array.from({ length: 20_000 }, () => 1)],
  ] as const) {
    test(`a vector with ${name} is a fault`, async () => {
      expect(await asked(given(embedding))).toEqual(fault(NUMBERS) as never);
    });
  }

  test("a vector of zeros leaves its own text without one; a model that gives nothing else is at fault", () => {
    const text = (...vectors: readonly (readonly number[])[]) =>
      JSON.stringify({ data: vectors.map((embedding) => ({ embedding })) });
    const first = { model: MODEL, count: 2, dimensions: null };
    const further = { ...first, dimensions: 2 };
    expect(parseAnswer(text([0, 0], [0, 5]), first)).toEqual({
      kind: "vectors",
      vectors: [null, Float32Array.from([0, 1])],
    });
    expect(parseAnswer(text([0, 0], [0, 0]), further)).toEqual({
      kind: "vectors",
      vectors: [null, null],
    });
    const zeros = fault({ kind: "malformed", why: "nothing but zeros" });
    expect(parseAnswer(text([0, 0], [0, 0]), first)).toEqual(zeros as never);
  });

  test("a number beyond all numbers is a fault, a huge one keeps its direction", () => {
    const ask = { model: MODEL, count: 1, dimensions: null };
    const text = (numbers: string) => `{"data":[{"embedding":[${numbers}]}]}`;
    expect(parseAnswer(text("1e999,1"), ask)).toEqual(fault(NUMBERS) as never);
    expect(parseAnswer(text("NaN,1"), ask)).toMatchObject(fault({ why: "it is not JSON" }));
    const huge = parseAnswer(text("3e300,-4e300"), ask);
    expect(huge).toEqual({ kind: "vectors", vectors: [Float32Array.from([0.6, -0.8])] });
  });

  test("an answer without end is cut off", async () => {
    const long = new Uint8Array(40 * 1024 * 1024).fill(32);
    const { url, state } = await endpoint();
    state.misbehave = () => new Response(long);
    const call = { texts: ["a"], dimensions: null, timeoutMs: TIMEOUT_MS, stop };
    const answer = await embed({ url, model: MODEL, key: null }, call);
    expect(answer).toEqual(fault({ kind: "malformed", why: "it is too long" }) as never);
  });

  test("an address where nobody answers is a fault", async () => {
    const call = { texts: ["a"], dimensions: null, timeoutMs: TIMEOUT_MS, stop };
    const answer = await embed({ url: "http://127.0.0.1:1/v1", model: MODEL, key: null }, call);
    expect(answer).toMatchObject(fault({ kind: "unreachable" }));
  });
});

describe("calls in a row", () => {
  const good = { kind: "vectors", vectors: [Float32Array.of(1)] } as const;
  const busy = { kind: "fault", fault: { kind: "busy", status: 429, waitMs: 9_000 } } as const;
  const silent = { kind: "fault", fault: { kind: "timeout" } } as const;

  function stage(answers: readonly (typeof good | typeof busy | typeof silent | object)[]) {
    const waits: number[] = [];
    const told: string[] = [];
    const timeouts: number[] = [];
    let [nowMs, at] = [0, 0];
    const caller = new EmbeddingCaller({
      embed: async (_, __, timeoutMs) => {
        timeouts.push(timeoutMs);
        at += 1;
        return (answers[Math.min(at, answers.length) - 1] ?? good) as never;
      },
      timeoutMs: 30_000,
      wait: async (ms) => void waits.push(ms),
      leftAlone: (one) => void told.push(describeFault(one, MODEL)),
      answered: () => void told.push("answered"),
      now: () => nowMs,
    });
    return { caller, waits, told, timeouts, pass: (ms: number) => (nowMs += ms), calls: () => at };
  }

  test("V5: it is asked again after a wait, or after the wait that it asks for", async () => {
    const { caller, waits, told } = stage([silent, busy, good]);
    expect(await caller.embedTexts(["a"], null)).toEqual(good);
    expect(waits).toEqual([1_000, 9_000]);
    expect(told).toEqual(["answered"]);
  });

  test("V5: after three texts that failed three times each it is left alone, once said, and asked again later", async () => {
    const { caller, told, calls, pass } = stage([silent]);
    for (let at = 0; at < 5; at += 1) await caller.embedTexts(["a"], null);
    expect(calls()).toBe(9);
    expect(told).toEqual(["does not answer in time"]);
    expect(await caller.embedTexts(["a"], null)).toEqual({ kind: "left alone" });
    expect(await caller.query("a", 1)).toBeNull();
    pass(15 * 60_000);
    await caller.embedTexts(["a"], null);
    expect(calls()).toBe(12);
  });

  test("what succeeds between failures counts", async () => {
    const { caller, told } = stage([silent, silent, silent, silent, silent, silent, good, silent]);
    for (let at = 0; at < 3; at += 1) await caller.embedTexts(["a"], null);
    expect(told).toEqual(["answered"]);
  });

  test("a wrong model, other dimensions and a wrong key are not tried again", async () => {
    for (const one of [
      { kind: "model", served: "other" },
      { kind: "dimensions", given: 2, known: 3 },
      { kind: "refused", status: 401 },
    ]) {
      const { caller, told, calls } = stage([{ kind: "fault", fault: one }]);
      await caller.embedTexts(["a"], null);
      await caller.embedTexts(["a"], null);
      expect(calls()).toBe(1);
      expect(told).toHaveLength(1);
    }
  });

  test("a text that is refused says nothing of the endpoint", async () => {
    const { caller, told } = stage([{ kind: "fault", fault: { kind: "refused", status: 400 } }]);
    await caller.embedTexts(["a"], null);
    expect(told).toEqual([]);
  });

  test("a fault is put in words for the user, a model's name cut", () => {
    const words = [
      { kind: "unreachable", why: "ECONNREFUSED" },
      { kind: "busy", status: 503, waitMs: null },
      { kind: "refused", status: 401 },
      { kind: "malformed", why: "it is not JSON" },
      { kind: "model", served: "m".repeat(90) },
    ] as const;
    expect(words.map((one) => describeFault(one, MODEL))).toEqual([
      "can't be reached (ECONNREFUSED)",
      "answers with 503",
      "refuses the call (401)",
      "gives an unusable answer: it is not JSON",
      `answers with the model ${"m".repeat(80)}, not ideas-1`,
    ]);
  });

  test("a question that fails counts as any failure, and one that is answered ends the row", async () => {
    const { caller, told } = stage([silent, silent, good, silent, silent, silent]);
    for (let at = 0; at < 5; at += 1) await caller.query("a", 1);
    expect([caller.isAlone, told]).toEqual([false, ["answered"]]);
    await caller.query("a", 1);
    expect([caller.isAlone, told.length]).toEqual([true, 2]);
  });

  test("while a model waits it is asked once, and shortly", async () => {
    const { caller, timeouts, waits } = stage([silent]);
    expect(await caller.query("a", 1)).toBeNull();
    expect(timeouts).toEqual([2_000]);
    expect(waits).toEqual([]);
  });
});
