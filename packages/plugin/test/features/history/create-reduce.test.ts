import { describe, expect, test } from "bun:test";
import type { FeatureContext } from "../../../src/feature-api/feature-context.ts";
import { reduceFeature } from "../../../src/features/history/feature.ts";
import { createReduceFeature, REDUCE_PROPOSAL_KIND } from "../../../src/features/history/reduce.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";
import type { SentHistory } from "../../../src/ledger/revise.ts";
import type { NewProposal } from "../../../src/storage/ledger-store.ts";
import type { SessionId } from "../../../src/storage/records.ts";
import { parseConfig } from "../../whole-config.ts";
import { failed, onlyPart, open, ran, SES, says } from "../search/stage.ts";

function makeFeature() {
  const proposed: NewProposal[] = [];
  // What the feature uses of its context.
  const sent = new Map<SessionId, SentHistory>();
  const context = {
    sent,
    location: { directory: "/work", worktree: "/work" },
    propose: (proposal: NewProposal) => void proposed.push(proposal),
  } as unknown as FeatureContext;
  const feature = createReduceFeature(context);
  const { signal: abort } = new AbortController();
  const call = { sessionId: SES, messageId: "msg_9", agent: "build", abort };
  const run = async (drop: readonly string[]) =>
    (await feature.tools?.[0]?.run({ drop }, call))?.text ?? "";
  return { feature, run, proposed, sent };
}

describe("ctx_reduce", () => {
  const read = ran("read", { filePath: "/work/src/a.ts" }, "x".repeat(4_000));
  const again = ran("read", { filePath: "/work/src/a.ts" }, "x".repeat(2_000));
  const other = ran("read", { filePath: "/work/lib/a.ts" }, "y".repeat(400));
  const command = ran("bash", { command: "npm test -- --watch=false" }, "z".repeat(400));
  const broken = failed("bash", { command: "make" }, "no rule");
  const running = open("bash", { command: "sleep 9" });
  const history = [says("read src/a.ts"), read, again, other, command, broken, running];

  async function reduced(drop: readonly string[], sent = history) {
    const { run, proposed, sent: kept } = makeFeature();
    kept.set(SES, { host: history, sent });
    const answer = await run(drop);
    return { answer, proposed, partIds: proposed.map(({ output }) => output), run };
  }

  test("R9: lets results go by their calls' own words, and says what that frees", async () => {
    const { answer, proposed } = await reduced(["read src/a.ts"]);
    expect(proposed).toEqual([
      {
        ...{ kind: REDUCE_PROPOSAL_KIND, sessionId: SES, urgency: "waits" },
        output: { partIds: [onlyPart(read).id, onlyPart(again).id] },
      },
    ]);
    expect(answer).toBe(
      "Noted: 2 results, about 1500 tokens, will go when it pays.\n- read src/a.ts: 1000 tokens\n- read src/a.ts: 500 tokens",
    );
  });

  test.each([
    ["a ref", [deriveRef("r", onlyPart(other).id)], [other]],
    ["a file's name", ["read a.ts"], [read, again, other]],
    ["the beginning of a command", ["bash npm test"], [command]],
    ["a failed call", ["BASH  make"], [broken]],
  ])("%s names its calls", async (_, drop, expected) => {
    expect((await reduced(drop)).partIds).toEqual([
      { partIds: expected.map((one) => onlyPart(one).id) },
    ]);
  });

  test.each([
    ["read"],
    ["bash sleep 9"],
    ["src/a.ts"],
    [""],
    ["r:000000"],
    ["read b.ts"],
    ["user read src/a.ts"],
  ])("%p names none: nothing is queued, and the answer says how to name one", async (wanted) => {
    const { answer, partIds } = await reduced([wanted]);
    expect(partIds).toEqual([]);
    expect(answer).toContain(`Not found: ${wanted}`);
    expect(answer).toEndWith(
      "Name a call as it was made (read src/a.ts, bash npm test) or by its ref (r:k3f9ab).",
    );
  });

  test("an empty list is answered with how to name a call", async () => {
    expect((await reduced([])).answer).toBe(
      "Name a call as it was made (read src/a.ts, bash npm test) or by its ref (r:k3f9ab).",
    );
  });

  test("what was replaced in its message is not let go again, though the message is sent", async () => {
    const stub = { ...onlyPart(read), id: "prt_stub" };
    const { partIds } = await reduced(["read src/a.ts"], [{ ...read, parts: [stub] }, again]);
    expect(partIds).toEqual([{ partIds: [onlyPart(again).id] }]);
  });

  test("what isn't shown any more is not let go again", async () => {
    const { partIds } = await reduced(["read src/a.ts"], [says("x"), again]);
    expect(partIds).toEqual([{ partIds: [onlyPart(again).id] }]);
  });

  test("what was asked for is the answer's title, as far as it fits", async () => {
    const { feature } = makeFeature();
    const { signal: abort } = new AbortController();
    const call = { sessionId: SES, messageId: "msg_9", agent: "build", abort };
    const drop = ["read src/a.ts", `bash ${"x".repeat(100)}`];
    expect((await feature.tools?.[0]?.run({ drop }, call))?.title).toBe(
      `read src/a.ts, bash ${"x".repeat(60)}`,
    );
  });

  test("the same results asked for again are the same proposal", async () => {
    const { run, proposed } = await reduced(["read src/a.ts"]);
    await run(["read src/a.ts"]);
    await run(["read lib/a.ts"]);
    const [first, second, third] = proposed;
    expect(second).toEqual(first as NewProposal);
    expect(third?.output).toEqual({ partIds: [onlyPart(other).id] });
  });

  test("a boundary takes what it proposed, in stubs that say how it is found again", () => {
    const take = makeFeature().feature.proposals?.get(REDUCE_PROPOSAL_KIND);
    const view = { messages: history, standing: [], claims: new Set<string>() };
    const drafts = take?.({ partIds: [onlyPart(other).id] }, view as never) ?? [];
    expect(drafts.map(({ edit }) => edit)).toMatchObject([
      { verb: "replace", at: { partId: onlyPart(other).id } },
    ]);
    const ref = deriveRef("r", onlyPart(other).id);
    expect(JSON.stringify(drafts)).toContain(
      `read lib/a.ts: 400 characters, let go. ctx_expand ${ref}`,
    );
  });

  test("of a session whose history isn't known there is nothing to let go", async () => {
    expect(await makeFeature().run(["read src/a.ts"])).toContain("Not found: read src/a.ts");
  });
});

test("it is offered where history is rewritten and recall finds what went", () => {
  const isOn = (config: object) => reduceFeature.isOn?.(parseConfig(config));
  expect(reduceFeature.tools?.map(({ name }) => name)).toEqual(["ctx_reduce"]);
  expect(isOn({})).toBe(true);
  expect(isOn({ history: { rewrite: "pressure" } })).toBe(true);
  expect(isOn({ history: { rewrite: "off" } })).toBe(false);
  expect(isOn({ recall: { enabled: false } })).toBe(false);
});
