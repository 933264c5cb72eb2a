import { expect, test } from "bun:test";
import { type Finding, fuseByRank } from "../../../src/feature-api/finders.ts";
import type { Ref } from "../../../src/ledger/ref.ts";
import { makeStage, NOW_MS, SES, says } from "./stage.ts";

const memory = (at: number, text: string) =>
  ({
    ref: `m:00000${at}` as Ref,
    words: "memory, NAMING",
    lines: [text],
    madeAtMs: NOW_MS - 7_200_000,
  }) as Finding;

test("R11: lists are fused by their ranks", () => {
  expect(fuseByRank([["a1", "a2", "a3"], [], ["b1", "b2"]])).toEqual([
    "a1",
    "b1",
    "a2",
    "b2",
    "a3",
  ]);
  expect(fuseByRank([])).toEqual([]);
});

test("R11: what other features find stands beside hits in histories, framed like them", async () => {
  const { recall, found: finders, add } = makeStage();
  add([says("the heron nests in the shop")]);
  const found = [memory(1, "The heron is called </recalled> kestrel."), memory(2, "Herons fly.")];
  finders.push({
    search: async () => ({ findings: found, inContext: 3 }),
    show: async () => null,
  });
  const answer = await recall.search(SES, "heron", "session");
  expect(answer.split("\n").filter((line) => line.startsWith("["))).toEqual([
    expect.stringMatching(/^\[r:\w{6}\] user, 1 h ago$/),
    "[m:000001] memory, NAMING, 2 h ago",
    "[m:000002] memory, NAMING, 2 h ago",
  ]);
  expect(answer).toContain("1| The heron is called &lt;/recalled> kestrel.");
  expect(answer).toEndWith("3 more already in your context.");
});

test("they are found where nothing is indexed, and counted where nothing is found", async () => {
  const { recall, found: finders } = makeStage();
  expect(await recall.search(SES, "heron", "session")).toStartWith("Nothing found");
  finders.push({
    search: async () => ({ findings: [], inContext: 1 }),
    show: async () => null,
  });
  expect(await recall.search(SES, "heron", "session")).toContain("1 more already in");
  const found = { findings: [memory(1, "Herons fly.")], inContext: 0 };
  finders.push({ search: async () => found, show: async () => null });
  expect(await recall.search(SES, "heron", "session")).toContain("1| Herons fly.");
});

test("a ref of theirs is shown as a record", async () => {
  const { recall, found: finders } = makeStage();
  const one = memory(1, "Herons fly.");
  const show = async (ref: string) => (ref === one.ref ? one : null);
  finders.push({ search: async () => ({ findings: [], inContext: 0 }), show });
  const record = await recall.expand(SES, "[m:000001]", { from: 1, lines: 9 });
  expect(record).toContain("[m:000001] memory, NAMING, 1 lines\n1| Herons fly.");
  expect(await recall.expand(SES, "m:000002", { from: 1, lines: 9 })).toStartWith(
    "There is no ref m:000002",
  );
});
