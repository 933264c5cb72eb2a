import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FeatureInstance } from "../../../src/feature-api/feature.ts";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import type { Finding, SemanticCorpus } from "../../../src/feature-api/finders.ts";
import { createVectorsFeature } from "../../../src/features/search/create-vectors.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import type { Notice } from "../../../src/log/notices.ts";
import { openIndex } from "../../../src/search-index/file.ts";
import { toIndexPath } from "../../../src/search-index/place.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { eventually } from "../../eventually.ts";
import { alreadyKnown } from "../../project/at-work.ts";
import { endpoint } from "./vector-endpoint-server.ts";

const root = mkdtempSync(join(tmpdir(), "session-runtime-vectors-"));
const featureInstances: FeatureInstance[] = [];
const closeAll = async () => {
  for (const feature of featureInstances.splice(0)) await feature.hooks?.closed?.();
};
afterEach(closeAll);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SES = "ses_1" as SessionId;
let made = 0;

/** Texts under their own words' digests. */
function createCorpus(all: string[]): SemanticCorpus {
  const finding = (text: string): Finding => ({
    ...{ ref: deriveRef("m", text), words: "memory", lines: [text], madeAtMs: 0 },
  });
  return {
    kind: "memory",
    list: async () => all.map((text, at) => ({ key: `${at}`, digest: text })),
    texts: async (keys) => keys.map((key) => all[Number(key)] ?? null),
    find: async (_, keys) =>
      keys.map((key) => {
        const text = all[Number(key)];
        if (text === undefined) return "gone";
        return text.startsWith("Shown") ? "in context" : finding(text);
      }),
  };
}

interface Opening {
  readonly url: string;
  readonly model?: string;
  readonly path?: string;
  readonly project?: string;
  readonly timeoutMs?: number;
}

async function opened(all: string[], opening: Opening) {
  const { url, model = "ideas-1", path, project, timeoutMs = 20_000 } = opening;
  const clock = { aheadMs: 0 };
  const notices: string[] = [];
  const logged: string[] = [];
  made += 1;
  const database = path ?? join(root, `${made}.db`);
  const over: string[] = [];
  const noticing = {
    notice: ({ message }: Notice) => void notices.push(message),
    over: (code: string) => void over.push(code),
  };
  const context = {
    config: { vectors: { url, model, apiKeyEnv: "EMBEDDING_KEY", timeoutMs } },
    ...{ project: alreadyKnown(project ?? "project"), env: { EMBEDDING_KEY: "k-1" } },
    location: { directory: "/work", worktree: "/work" },
    log: { warn: (code: string) => void logged.push(code) },
    notices: noticing,
    now: () => Date.now() + clock.aheadMs,
  } as unknown as FeatureContext;
  const file = await openIndex(database, noticing);
  const feature = createVectorsFeature(context, { index: { file }, corpora: [createCorpus(all)] });
  featureInstances.push(feature);
  const vectors = toIndexPath(database);
  const rows = (): readonly { readonly passage: number; readonly project: number }[] => {
    if (!existsSync(vectors)) return [];
    const driver = openBunDriver(vectors);
    try {
      return driver.all("SELECT passage, project FROM vector ORDER BY passage") as never;
    } finally {
      driver.close();
    }
  };
  const find = async (query: string) => {
    const asker = { sessionId: SES, within: "session", terms: [] } as const;
    const found = await feature.provides.search(asker, query);
    return { texts: found.findings.map(({ lines }) => lines[0]), inContext: found.inContext };
  };
  /** Until so many are stored. */
  const embedded = (count: number) =>
    settledUntil(`${count} are stored`, () => rows().length === count);
  /** Turn by turn, until it is so. */
  const settledUntil = (what: string, condition: () => boolean) =>
    eventually(what, async () => {
      await feature.hooks?.settled?.(SES);
      return condition();
    });
  return {
    feature,
    find,
    embedded,
    settledUntil,
    rows,
    notices,
    logged,
    vectors,
    database,
    clock,
  };
}

const FACTS = ["Amounts are kept as cents.", "We release on Friday.", "The heron nests here."];

describe("vectors", () => {
  test("V1: a question in other words finds the text; what is in the context is counted, and left out", async () => {
    const { url, requests } = await endpoint();
    const { find, embedded, vectors } = await opened([...FACTS, "Shown price."], { url });
    await embedded(4);
    const found = await find("Which money format?");
    expect(found.texts[0]).toBe(FACTS[0] as never);
    expect(found.texts).not.toContain("Shown price.");
    expect(found.inContext).toBe(1);
    expect((await find("when do we ship")).texts[0]).toBe(FACTS[1] as never);
    expect(requests.every(({ authorization }) => authorization === "Bearer k-1")).toBe(true);
    expect(statSync(vectors).mode & 0o777).toBe(0o600);
  });

  test("a folder in the place of their file is shown to the user, and nothing is sent", async () => {
    const { url, requests } = await endpoint();
    const { settledUntil, notices, logged, vectors } = await opened(FACTS, { url });
    mkdirSync(vectors, { mode: 0o755 });
    await settledUntil("it is logged", () => logged.length > 0);
    expect(notices[0]).toBe(
      `Session Runtime can't store its search index: ${vectors} is a folder, and must be a file or not there. Until this is fixed, sessions and commits can't be searched, by words or by meaning.`,
    );
    expect(requests).toEqual([]);
    expect(statSync(vectors).mode & 0o777).toBe(0o755);
  });

  test("V2, I26: nothing is sent but after a send, and each text once", async () => {
    const { url, requests } = await endpoint();
    const { embedded, find, feature } = await opened(FACTS, { url });
    expect(requests).toEqual([]);
    expect((await find("money")).texts).toEqual([]);
    // Without any vector a question is not sent anywhere.
    expect(requests).toEqual([]);
    await embedded(3);
    for (let times = 0; times < 3; times += 1) await feature.hooks?.settled?.(SES);
    await Bun.sleep(30);
    expect(requests.flatMap(({ input }) => input).toSorted()).toEqual(FACTS.toSorted());
  });

  test("V2: in a turn of many calls, what was said is found a minute later, before the turn ends", async () => {
    const { url, requests } = await endpoint();
    const { feature, rows, clock } = await opened(FACTS, { url });
    const call = {} as Parameters<NonNullable<NonNullable<FeatureInstance["hooks"]>["sent"]>>[0];
    clock.aheadMs = 50_000;
    await feature.hooks?.sent?.(call);
    await Bun.sleep(30);
    expect(requests).toEqual([]);
    clock.aheadMs = 60_000;
    await eventually("all are stored", async () => {
      await feature.hooks?.sent?.(call);
      return rows().length >= 3;
    });
    expect(rows()).toHaveLength(3);
    expect(requests).toHaveLength(1);
  });

  test("V2: what is changed is sent again, what is gone is gone", async () => {
    const { url, requests } = await endpoint();
    const all = [...FACTS];
    const { embedded, find, settledUntil } = await opened(all, { url });
    await embedded(3);
    await find("bird");
    all[2] = "The heron has wings.";
    all.splice(0, 1, "Deploys need two people.");
    requests.length = 0;
    await settledUntil("what is changed is sent", () => requests.length > 0);
    await embedded(3);
    expect(requests.flatMap(({ input }) => input)).toEqual([
      "Deploys need two people.",
      "The heron has wings.",
    ]);
    expect((await find("bird")).texts[0]).toBe("The heron has wings.");
    all.pop();
    await embedded(2);
    expect((await find("bird")).texts).not.toContain("The heron has wings.");
  });

  test("V3: masked secrets never leave, in texts and in questions", async () => {
    const { url, requests } = await endpoint();
    const secret = "sk-abcdefghijklmnopqrstuvwx";
    const { embedded, find } = await opened([`The price service takes ${secret} as its key.`], {
      url,
    });
    await embedded(1);
    await find(`what costs ${secret}`);
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests)).not.toContain(secret);
    expect(requests[0]?.input[0]).toContain("The price service takes [secret]");
  });

  test("V4: another model: everything is sent again, and nothing of the former is found", async () => {
    const first = await endpoint();
    const { embedded, database } = await opened(FACTS, { url: first.url });
    await embedded(3);
    await closeAll();
    const second = await endpoint("ideas-2");
    const next = await opened(FACTS, { url: second.url, model: "ideas-2", path: database });
    expect((await next.find("money")).texts).toEqual([]);
    await next.feature.hooks?.settled?.(SES);
    await next.embedded(3);
    await eventually("all is sent again", () => second.requests.length > 0);
    await next.embedded(3);
    expect(second.requests.flatMap(({ input }) => input).toSorted()).toEqual(FACTS.toSorted());
    expect((await next.find("money")).texts[0]).toBe(FACTS[0] as never);
  });

  test("V4: a server that answers by another model is refused, said once, and left alone", async () => {
    const { url, state, requests } = await endpoint();
    state.model = "something-else";
    const { feature, rows, notices, find, settledUntil } = await opened(FACTS, { url });
    await settledUntil("it is refused", () => notices.length > 0);
    for (let times = 0; times < 5; times += 1) {
      await feature.hooks?.settled?.(SES);
      await Bun.sleep(20);
    }
    expect(requests).toHaveLength(1);
    expect(rows()).toEqual([]);
    expect(notices).toEqual([expect.stringContaining("answers with the model something-else")]);
    expect((await find("money")).texts).toEqual([]);
  });

  test("V4: vectors of another length than before are refused, by the background and by a question", async () => {
    const { url, state } = await endpoint();
    const all = [...FACTS];
    const { embedded, find, rows, notices, settledUntil } = await opened(all, { url });
    await embedded(3);
    state.misbehave = ({ input }) =>
      Response.json({ data: input.map(() => ({ embedding: [1, 0] })) });
    all.push("One more price.");
    await settledUntil("they are refused", () => notices.length > 0);
    expect(rows()).toHaveLength(3);
    expect(notices[0]).toContain("vectors of 2 numbers, where ideas-1 had 7 before");
    expect((await find("money")).texts).toEqual([]);
  });

  test("V5: a text that is refused is found by elimination, and not sent again; the others are stored", async () => {
    const { url, state, requests } = await endpoint();
    const all = Array.from({ length: 20 }, (_, at) => `Price ${at} is known.`);
    all[13] = "Price of poison.";
    state.misbehave = ({ input }) =>
      input.some((text) => text.includes("poison")) ? new Response("", { status: 400 }) : null;
    const { embedded, feature, find } = await opened(all, { url });
    await embedded(20);
    const before = requests.length;
    await feature.hooks?.settled?.(SES);
    await Bun.sleep(30);
    expect(requests).toHaveLength(before);
    expect(before).toBeLessThan(12);
    expect((await find("poison")).texts).not.toContain("Price of poison.");
  });

  test("V5, I26: a question whose answer is late is answered by words alone, within its time", async () => {
    const { url, state } = await endpoint();
    const { embedded, find } = await opened(FACTS, { url, timeoutMs: 400 });
    await embedded(3);
    state.misbehave = () => "silence";
    // The endpoint never answers: without its own limit the question would not end.
    expect((await find("money")).texts).toEqual([]);
  });

  test("I29: another project's vectors are not found", async () => {
    const { url } = await endpoint();
    const one = await opened(FACTS, { url });
    await one.embedded(3);
    const other = await opened(["A bird of another project."], {
      ...{ url, path: one.database, project: "other" },
    });
    await other.embedded(4);
    expect((await other.find("money price cents")).texts).toEqual(["A bird of another project."]);
    expect((await one.find("bird")).texts).not.toContain("A bird of another project.");
  });

  test("V2: a damaged file is begun again", async () => {
    const { url } = await endpoint();
    const one = await opened(FACTS, { url });
    await one.embedded(3);
    await closeAll();
    await Bun.write(
      one.vectors,
      "no database at all, and longer than a header of SQLite's is".repeat(99),
    );
    for (const end of ["-wal", "-shm"]) rmSync(one.vectors + end, { force: true });
    const next = await opened(FACTS, { url, path: one.database });
    await next.settledUntil("it is begun again", () => next.notices.length > 0);
    expect(next.notices).toEqual([expect.stringContaining("has been emptied")]);
    await next.embedded(3);
    expect((await next.find("money")).texts[0]).toBe(FACTS[0] as never);
  });
});
