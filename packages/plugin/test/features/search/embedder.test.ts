import { describe, expect, test } from "bun:test";
import type { SemanticCorpus } from "../../../src/feature-api/finders.ts";
import { Embedder, toSendableText } from "../../../src/features/search/embedder.ts";
import type { EmbeddingResult } from "../../../src/features/search/embedding-answer.ts";
import { EmbeddingCaller } from "../../../src/features/search/embedding-caller.ts";
import { VectorStore } from "../../../src/features/search/vector-store.ts";
import { toProjectScope } from "../../../src/search-index/collection.ts";
import type { IndexFile } from "../../../src/search-index/file.ts";
import { prepareTables } from "../../../src/search-index/schema.ts";
import { IndexStore } from "../../../src/search-index/store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId } from "../../../src/storage/records.ts";

const PROJECT = "project" as ProjectId;

const MODEL = "ideas-1";

type Answer = (texts: readonly string[]) => EmbeddingResult | Promise<EmbeddingResult>;

const vectors: Answer = (texts) => ({
  ...{ kind: "vectors", vectors: texts.map(() => Float32Array.of(1, 0)) },
});

const refused: EmbeddingResult = { kind: "fault", fault: { kind: "refused", status: 400 } };

/** Texts of two letters and their number, so that an endpoint can refuse one of them. */
function stage(count: number, answer: Answer = vectors) {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const index = new IndexStore(driver);
  const store = new VectorStore(index);
  const calls: (readonly string[])[] = [];
  const asked: (readonly string[])[] = [];
  const failures: string[] = [];
  const all = new Map(Array.from({ length: count }, (_, at) => [`k${at}`, `t${at}`]));
  let [lists, pauses, nowMs] = [0, 0, 0];
  const texts: SemanticCorpus = {
    kind: "memory",
    list: async () => {
      lists += 1;
      return [...all].map(([key, digest]) => ({ key, digest }));
    },
    texts: async (keys) => {
      asked.push(keys);
      return keys.map((key) => all.get(key) ?? null);
    },
    find: async () => [],
  };
  const state = { answer };
  const caller = new EmbeddingCaller({
    embed: async (some) => {
      calls.push(some);
      return state.answer(some);
    },
    timeoutMs: 1_000,
    leftAlone: () => undefined,
    answered: () => undefined,
    wait: async () => undefined,
    now: () => nowMs,
  });
  const embedder = new Embedder({
    file: { use: <T>(work: (one: IndexStore) => T): T => work(index) } as IndexFile,
    caller,
    texts: () => [texts],
    ...{ project: async () => PROJECT, directory: "/work", model: MODEL },
    pause: async () => {
      pauses += 1;
    },
    failed: (error) => void failures.push(String(error)),
  });
  return {
    ...{ embedder, all, asked, calls, failures, state, lists: () => lists, pauses: () => pauses },
    pass: (ms: number) => (nowMs += ms),
    /** What is stored of those that have a vector, or were refused. */
    digests() {
      const due = new Set(store.listDue(PROJECT, "memory").map((one) => store.findItem(one)?.key));
      const all = index.readDigests(toProjectScope(PROJECT, "memory").sessionId);
      return new Map([...all].filter(([key]) => !due.has(key)));
    },
    found: () => {
      const extent = store.enter(PROJECT, "/work", MODEL);
      return store
        .readBlock(extent, 0, 999)
        .block.items.map((one) => store.findItem(one)?.key ?? "");
    },
  };
}

describe("keeping vectors up to date", () => {
  test("texts go in batches of 32, with a pause after each, and none twice", async () => {
    const { embedder, calls, asked, pauses } = stage(70);
    await embedder.update();
    expect(calls.map(({ length }) => length)).toEqual([32, 32, 6]);
    expect(pauses()).toBe(3);
    await embedder.update();
    expect(calls).toHaveLength(3);
    const whole = stage(64);
    await whole.embedder.update();
    expect([whole.calls.length, whole.asked.length]).toEqual([2, 2]);
    expect(asked.flat()).toHaveLength(70);
  });

  test("what is asked for meanwhile is done right after, once", async () => {
    const { embedder, lists } = stage(1);
    const running = embedder.update();
    expect(embedder.update()).toBe(running);
    embedder.update();
    await running;
    expect(lists()).toBe(2);
    await embedder.update();
    expect(lists()).toBe(3);
  });

  test("what has gone, and what has another text, goes; a text that can't be read now is left for later", async () => {
    const { embedder, all, calls, digests } = stage(3);
    await embedder.update();
    all.delete("k0");
    all.set("k1", "another");
    await embedder.update();
    expect([...digests()].toSorted()).toEqual([
      ["k1", "another"],
      ["k2", "t2"],
    ]);
    expect(calls.slice(1)).toEqual([["another"]]);
    const gone = stage(2);
    gone.asked.push = () => gone.all.delete("k0") as never;
    await gone.embedder.update();
    expect(gone.calls).toEqual([["t1"]]);
  });

  test("V5: an endpoint that has taken no text yet is at fault, and none is given up for it", async () => {
    const { embedder, digests, failures } = stage(1, () => refused);
    await embedder.update();
    expect([digests().size, failures]).toEqual([0, []]);
  });

  test("V5: the one text that is refused is given up and reported; all others are found", async () => {
    const picky: Answer = (texts) => (texts.includes("t9") ? refused : vectors(texts));
    const { embedder, digests, found, failures, calls } = stage(20, picky);
    await embedder.update();
    expect(digests().size).toBe(20);
    expect(found()).toHaveLength(19);
    expect(found()).not.toContain("k9");
    expect(failures).toEqual(["Error: ideas-1 refuses a text (400)."]);
    const before = calls.length;
    await embedder.update();
    expect(calls).toHaveLength(before);
  });

  test("V5: the one text whose vector is nothing but zeros is neither found nor sent again; all others are found", async () => {
    const dumb: Answer = (texts) => ({
      kind: "vectors",
      vectors: texts.map((text) => (text === "t9" ? null : Float32Array.of(1, 0))),
    });
    const { embedder, found, calls } = stage(20, dumb);
    await embedder.update();
    expect(found()).toHaveLength(19);
    expect(found()).not.toContain("k9");
    await embedder.update();
    expect(calls).toHaveLength(1);
  });

  test("V5: while the endpoint is left alone no text is even listed, and all are sent afterwards", async () => {
    const wrongKey: EmbeddingResult = { kind: "fault", fault: { kind: "refused", status: 401 } };
    const { embedder, state, calls, lists, pass, found } = stage(40, () => wrongKey);
    await embedder.update();
    const [called, listed] = [calls.length, lists()];
    await embedder.update();
    expect([calls.length, lists()]).toEqual([called, listed]);
    state.answer = vectors;
    pass(15 * 60_000);
    await embedder.update();
    expect(found()).toHaveLength(40);
  });

  test("another fault ends the round: no text is given up, and nothing is halved", async () => {
    const { embedder, calls, digests } = stage(40, () => ({
      ...{ kind: "fault", fault: { kind: "timeout" } },
    }));
    await embedder.update();
    expect(calls.map(({ length }) => length)).toEqual([32, 32, 32]);
    expect(digests().size).toBe(0);
  });

  test("where a half of a refused batch gets no answer, the other half is left for later", async () => {
    const timeout: EmbeddingResult = { kind: "fault", fault: { kind: "timeout" } };
    const { embedder, calls } = stage(4, (texts) => (texts.length > 2 ? refused : timeout));
    await embedder.update();
    expect(calls.map(({ length }) => length)).toEqual([4, 2, 2, 2]);
    expect(new Set(calls.slice(1).flat())).toEqual(new Set(["t0", "t1"]));
  });

  test("what fails after the close is reported nowhere", async () => {
    const slow = Promise.withResolvers<EmbeddingResult>();
    const { embedder, failures, calls } = stage(1, () => slow.promise);
    const running = embedder.update();
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    embedder.close();
    slow.reject(new Error("closed"));
    await running;
    expect(failures).toEqual([]);
  });

  test("once closed it stores nothing more, and reports nothing", async () => {
    const slow = Promise.withResolvers<EmbeddingResult>();
    const { embedder, digests, failures, calls } = stage(40, () => slow.promise);
    const running = embedder.update();
    while (calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    embedder.close();
    slow.resolve(await vectors(Array.from({ length: 32 }, () => "")));
    await running;
    expect([digests().size, calls.length, failures]).toEqual([0, 1, []]);
    await embedder.update();
    expect(calls).toHaveLength(1);
  });

  test("what goes wrong otherwise is reported, and the next round is made", async () => {
    const { embedder, state, failures, found } = stage(1, () => Promise.reject(new Error("full")));
    await embedder.update();
    expect(failures).toEqual(["Error: full"]);
    state.answer = vectors;
    await embedder.update();
    expect(found()).toEqual(["k0"]);
  });
});

test("V3: what is sent is short, without secrets and never empty", () => {
  expect(toSendableText("the key is sk-abcdefghijklmnopqrstuvwx")).toBe("the key is [secret]");
  expect(toSendableText(`  ${"x".repeat(3_000)}`)).toBe("x".repeat(1_998));
  expect(toSendableText(" \n ")).toBe("-");
});
