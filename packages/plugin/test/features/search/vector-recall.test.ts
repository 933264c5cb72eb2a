import { expect, test } from "bun:test";
import { type Finding, fuseByRank, type SemanticSearch } from "../../../src/feature-api/finders.ts";
import { VectorStore } from "../../../src/features/search/vector-store.ts";
import { deriveRef, type Ref } from "../../../src/ledger/ref.ts";
import type { ProjectId, SessionId } from "../../../src/storage/records.ts";
import { answers, makeStage, NOW_MS, onlyPart, ran, SES, says } from "./stage.ts";

const PROJECT = "project" as ProjectId;

const finding = (ref: Ref, text: string): Finding => ({
  ...{ ref, words: "memory, NAMING", lines: [text], madeAtMs: NOW_MS },
});

const heads = (answer: string) =>
  answer.split("\n").flatMap((line) => /^\[(\S+)\]/.exec(line)?.[1] ?? []);

test("R11: what several lists have comes first, once", () => {
  expect(
    fuseByRank([
      ["a", "b", "c"],
      ["d", "c"],
      ["e", "c"],
    ]),
  ).toEqual(["c", "a", "d", "e", "b"]);
});

test("V1, R11: what is found by meaning stands beside what is found by words; by both it comes first", async () => {
  const { recall, semantic, add } = makeStage();
  const [one, two] = [says("the heron nests"), says("heron heron two")];
  add([one, two]);
  const asked: unknown[] = [];
  const both = deriveRef("r", onlyPart(one).id);
  const findMeant: SemanticSearch = async (asker, query) => {
    asked.push([asker.sessionId, asker.within, query]);
    return {
      findings: [finding("m:000001" as Ref, "Birds fly."), finding(both, "nests")],
      inContext: 2,
    };
  };
  semantic.find = findMeant;
  const answer = await recall.search(SES, "heron?", "session");
  expect(asked).toEqual([[SES, "session", "heron?"]]);
  expect(heads(answer)[0]).toBe(both);
  expect(heads(answer).toSorted()).toEqual(
    [both, deriveRef("r", onlyPart(two).id), "m:000001"].toSorted(),
  );
  expect(answer).toEndWith("2 more already in your context.");
});

test("it is found where no word is", async () => {
  const { recall, semantic } = makeStage();
  const findMeant: SemanticSearch = async () => ({
    findings: [finding("m:000001" as Ref, "Birds fly.")],
    inContext: 0,
  });
  semantic.find = findMeant;
  expect(await recall.search(SES, "avian", "session")).toContain("1| Birds fly.");
});

test("people's and the model's words are offered, newest first, and not what tools brought; shown ones are in the context", async () => {
  const { hear, histories, file, add, index } = makeStage();
  const OTHER = "ses_2" as SessionId;
  const [old, result, fresh] = [
    says("old words", 9_000_000),
    ran("bash", {}, "output"),
    answers("new words"),
  ];
  add([old, result, fresh]);
  add([says("elsewhere", 99_000_000)], OTHER);
  const said = histories.corpus;
  expect(await said.list()).toBeNull();
  const due = file.use((store) => new VectorStore(store).listDue(PROJECT, "said"));
  const keys = due.map((passage) => `${passage}`);
  expect(await said.texts(keys)).toEqual(["new words", "old words", "elsewhere"]);
  const ask = (within: "session" | "project") =>
    said.find({ sessionId: SES, within, terms: [] }, [...keys, "1"]);
  const lines = (found: Awaited<ReturnType<typeof ask>>) =>
    found.map((one) => (typeof one === "string" ? one : `${one.words}: ${one.lines.join()}`));
  expect(lines(await ask("session"))).toEqual([
    ...["assistant: new words", "user: old words", "gone", "gone"],
  ]);
  expect(lines(await ask("project"))[2]).toBe("user, in session ses_2: elsewhere");
  hear(SES, { host: [old, result, fresh], sent: [fresh] });
  index();
  expect(lines(await ask("session"))).toEqual(["in context", "user: old words", "gone", "gone"]);
});
