import { expect, test } from "bun:test";
import {
  emptyResult,
  type Finding,
  type SemanticCorpus,
  type SemanticHit,
  type SemanticKind,
} from "../../../src/feature-api/finders.ts";
import { EmbeddingCaller } from "../../../src/features/search/embedding-caller.ts";
import { createSemanticSearch, VectorCopy } from "../../../src/features/search/search-semantic.ts";
import { VectorStore } from "../../../src/features/search/vector-store.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import {
  PROJECT_DOCUMENT_KINDS,
  type ProjectDocumentKind,
} from "../../../src/search-index/collection.ts";
import { prepareTables } from "../../../src/search-index/schema.ts";
import { IndexStore } from "../../../src/search-index/store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";

const PROJECT = "project" as ProjectId;
const OTHER = "other" as ProjectId;

const MODEL = "ideas-1";
const asker = { sessionId: "ses_1" as SessionId, within: "session", terms: [] } as const;

const finding = (text: string): Finding => ({
  ...{ ref: deriveRef("m", text), words: "memory", lines: [text], madeAtMs: 0 },
});

/** Texts of one kind; but for those of the kind "segment", nearer the question the earlier they stand among all. */
function createCorpus(kind: SemanticKind, find: (key: string) => SemanticHit): SemanticCorpus {
  return {
    kind,
    list: async () => [],
    texts: async () => [],
    find: async (_, keys) => keys.map(find),
  };
}

function stage(vectors: readonly { readonly kind: ProjectDocumentKind; readonly key: string }[]) {
  const driver = openBunDriver(":memory:");
  prepareTables(driver);
  const index = new IndexStore(driver);
  const store = new VectorStore(index);
  const extent = store.enter(PROJECT, "/work", MODEL);
  for (const kind of PROJECT_DOCUMENT_KINDS) {
    const keys = vectors.filter((one) => one.kind === kind);
    store.keep(
      PROJECT,
      kind,
      keys.map(({ key }) => ({ key, digest: key })),
    );
  }
  const passages = new Map(
    PROJECT_DOCUMENT_KINDS.flatMap((kind) => store.listDue(PROJECT, kind)).map((passage) => {
      const item = store.findItem(passage);
      return [`${item?.kind} ${item?.key}`, passage];
    }),
  );
  const rows = vectors.map((one, at) => {
    const angle = one.kind === "segment" ? Math.PI / 2 : (at + 1) * 0.01;
    const vector = Float32Array.of(Math.cos(angle), Math.sin(angle));
    return { passage: passages.get(`${one.kind} ${one.key}`) ?? 0, vector };
  });
  store.add(extent, MODEL, rows);
  const questions: string[] = [];
  const failures: string[] = [];
  const caller = new EmbeddingCaller({
    embed: async (texts) => {
      questions.push(...texts);
      return { kind: "vectors", vectors: [Float32Array.of(1, 0)] };
    },
    timeoutMs: 1_000,
    leftAlone: () => undefined,
    answered: () => undefined,
    wait: async () => undefined,
    now: () => 0,
  });
  const file = { use: <T>(work: (one: IndexStore) => T): T => work(index) };
  const copy = new VectorCopy(file, async () => undefined);
  const ask = (texts: readonly SemanticCorpus[], project = PROJECT) =>
    createSemanticSearch({
      ...{ file, copy, caller, project: async () => project, model: MODEL, texts: () => texts },
      failed: (error) => void failures.push(String(error)),
    })(asker, "What birds?");
  return { ask, questions, failures };
}

const listFoundLines = ({ findings }: { readonly findings: readonly Finding[] }) =>
  findings.flatMap(({ lines }) => lines);

test("V1: the nearest come first, of whichever kind; what is gone or in the context is no finding", async () => {
  const { ask, questions, failures } = stage([
    { kind: "commit", key: "a" },
    { kind: "memory", key: "a" },
    { kind: "memory", key: "b" },
  ]);
  const message = createCorpus("commit", (key) => finding(`commit ${key}`));
  const memory = createCorpus("memory", (key) =>
    key === "a" ? "in context" : finding(`memory ${key}`),
  );
  const found = await ask([memory, message]);
  expect(listFoundLines(found)).toEqual(["commit a", "memory b"]);
  expect(found.inContext).toBe(1);
  const gone = createCorpus("memory", () => "gone");
  expect(await ask([gone, message])).toMatchObject({ inContext: 0, findings: [{}] });
  expect(questions).toEqual(["What birds?", "What birds?"]);
  expect(failures).toEqual([]);
});

test("five are found at most, the nearest", async () => {
  const keys = Array.from({ length: 200 }, (_, at) => ({ kind: "memory", key: `${at}` }) as const);
  const far = keys.map(({ key }) => ({ kind: "segment", key }) as const);
  const { ask } = stage([...keys.slice(0, 8), ...far]);
  const found = await ask([createCorpus("memory", finding), createCorpus("segment", () => "gone")]);
  expect(listFoundLines(found)).toEqual(["0", "1", "2", "3", "4"]);
});

test("a project without vectors asks nobody", async () => {
  const { ask, questions } = stage([{ kind: "memory", key: "a" }]);
  expect(await ask([createCorpus("memory", finding)], OTHER)).toEqual(emptyResult);
  const empty = stage([]);
  expect(await empty.ask([createCorpus("memory", finding)])).toEqual(emptyResult);
  expect([questions, empty.questions]).toEqual([[], []]);
});

test("what goes wrong is reported, and nothing is found", async () => {
  const { ask, failures } = stage([{ kind: "memory", key: "a" }]);
  const broken = createCorpus("memory", () => {
    throw new Error("locked");
  });
  expect(await ask([broken])).toEqual(emptyResult);
  expect(failures).toEqual(["Error: locked"]);
});
