import { describe, expect, test } from "bun:test";
import { findMissingEssentials } from "@session-runtime/opencode/features/compaction/summary-check";
import { MODELS } from "../src/host/models.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { say } from "../src/provider/reply.ts";
import { baseline, expectSteady, type Talk, updates, useStage } from "./conformance/stage.ts";
import {
  briefIn,
  firstAfter,
  joinCallText,
  repairs,
  SUMMARISERS,
  WORKS,
} from "./continuity-stage.ts";
import { longTest } from "./long.ts";

const PLUGIN = `${import.meta.dir}/../../plugin`;
// With history on, no call is too long for the host: it would never compact by itself.
const stage = useStage({ plugin: [[PLUGIN, { history: { rewrite: "off" } }]] });

type WorkName = keyof typeof WORKS;
type SummariserName = keyof typeof SUMMARISERS;

async function talkAbout(work: WorkName, name: string): Promise<Talk> {
  const folder = stage.host.addProject(name, WORKS[work].files);
  return stage.talk(stage.host.createClient(folder));
}

function summarise(how: SummariserName): void {
  stage.provider.script.respond("compaction", (call) => say(SUMMARISERS[how](call)));
}

const listCompactionCalls = (talk: Talk) => stage.provider.listCalls(talk.id, "compaction");

/** By request. */
async function compactByRequest(talk: Talk): Promise<void> {
  await talk.say("Begin");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Go on");
}

/** By the host itself: a long file does not fit the small model's context. */
async function compactByItself(talk: Talk): Promise<void> {
  const lines = Array.from({ length: 900 }, (_, line) => `line ${line} ${"x".repeat(40)}`);
  talk.edit({ "big.txt": lines.join("\n") });
  await talk.say("Begin", { model: MODELS.small });
  const big = { name: "read", input: { filePath: `${talk.client.folder}/big.txt` } };
  stage.provider.script.queueFor(
    talk.id,
    { type: "answer", text: "", calls: [big] },
    say("It is long."),
  );
  await talk.say("Read the long file", { model: MODELS.small });
}

function expectAllKnown(call: CallRecord, work: WorkName): void {
  const { stage, step, nextAction, gate } = WORKS[work];
  const words = joinCallText(call);
  expect(words).toContain(stage);
  expect(findMissingEssentials({ stage, step, nextAction, gate }, words)).toBeNull();
}

const WAYS = { "by request": compactByRequest, "by itself": compactByItself } as const;

for (const work of ["spec", "bug"] as const) {
  for (const way of ["by request", "by itself"] as const) {
    describe(`I11: a ${work} session, compacted ${way}`, () => {
      for (const how of ["keeps", "paraphrases", "loses"] as const) {
        const asFar = how === "paraphrases" ? longTest : test;
        asFar(
          `goes on with stage, step, gate and next action when the summary ${how} the brief`,
          async () => {
            const talk = await talkAbout(work, `${work}-${way.replace(" ", "-")}-${how}`);
            summarise(how);
            await WAYS[way](talk);
            const compactions = listCompactionCalls(talk);
            expect(compactions).toHaveLength(1);
            for (const compaction of compactions) expectAllKnown(compaction, work);
            const after = firstAfter(talk, compactions);
            expectAllKnown(after, work);
            expect(repairs(after)).toBe(how === "keeps" ? 0 : 1);
            expect(updates(after)).toEqual([]);
            await talk.say("And on", way === "by itself" ? { model: MODELS.small } : {});
            expect(repairs(talk.last())).toBe(how === "keeps" ? 0 : 1);
            expectSteady(talk.main().slice(talk.main().indexOf(after)));
          },
        );
      }
    });
  }
}

describe("what a summary lost is a Context Source like any other", () => {
  test("I2: it is the same after a restart, and told once", async () => {
    const talk = await talkAbout("spec", "repair-restart");
    summarise("loses");
    await compactByRequest(talk);
    const before = talk.main().length;
    await stage.host.restart({});
    talk.edit({ "SESSION.md": "In spec-design.\n" });
    await talk.say("And on");
    expectSteady(talk.main().slice(before - 1));
    expect(updates(talk.last())).toEqual([]);
    expect(repairs(talk.last())).toBe(1);
  });

  test("I10: undoing the compaction takes it away, taking the undo back brings it back", async () => {
    const talk = await talkAbout("bug", "repair-undo");
    summarise("loses");
    await compactByRequest(talk);
    const told = baseline(talk.last());
    const messages = await talk.client.messages(talk.id);
    const marker = messages.find(({ parts }) => parts.some(({ type }) => type === "compaction"));
    await talk.client.revert(talk.id, marker?.info.id ?? "");
    await talk.client.unrevert(talk.id);
    await talk.say("Still there");
    expect(baseline(talk.last())).toBe(told);
    await talk.client.revert(talk.id, marker?.info.id ?? "");
    await talk.say("Another way");
    expect(repairs(talk.last())).toBe(0);
    expect(baseline(talk.last())).toBe(baseline(one(talk.main()[0])));
  });

  test("a retried call after the compaction sends the same bytes", async () => {
    const talk = await talkAbout("spec", "repair-retry");
    summarise("loses");
    await talk.say("Begin");
    await talk.client.summarize(talk.id, MODELS.anthropic);
    stage.provider.script.queueFor(talk.id, { type: "failure", status: 529, retryAfterMs: 1 });
    await talk.say("Go on");
    const [failed, retried] = talk.main().slice(-2);
    expect(new TextDecoder().decode(one(failed).raw)).toBe(
      new TextDecoder().decode(one(retried).raw),
    );
    expect(repairs(talk.last())).toBe(1);
  });
});

test("several compactions in a row keep the thread, also when the files are gone", async () => {
  const folder = stage.host.addProject("thread", {
    "AGENTS.md": "Answer in short sentences.\n",
    "SESSION.md":
      "**Goal:** replace the parser\n**Decisions:**\n- Decision: no new dependency\n**Open Work:** write the lexer\n",
  });
  const talk = await stage.talk(stage.host.createClient(folder));
  summarise("loses");
  await compactByRequest(talk);
  expect(joinCallText(talk.last())).toContain("write the lexer");
  talk.remove("SESSION.md");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  await talk.say("Go on");
  await talk.client.summarize(talk.id, MODELS.anthropic);
  for (const compaction of listCompactionCalls(talk)) {
    expect(briefIn(compaction)).toContain("## Primary Objective\n- Replace the parser\n");
    expect(`${briefIn(compaction)}\n`).toContain("- Decision: no new dependency\n");
  }
  talk.edit({ "SESSION.md": "**Goal:** test the parser\n**Decisions:** none\n" });
  await talk.client.summarize(talk.id, MODELS.anthropic);
  const newest = briefIn(one(listCompactionCalls(talk).at(-1)));
  expect(newest).toContain("## Primary Objective\n- Test the parser\n");
  expect(newest).toContain("## Decisions\n- none recorded\n");
});

function one<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("There is none");
  return value;
}
