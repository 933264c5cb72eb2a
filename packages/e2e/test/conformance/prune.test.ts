import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { call, say } from "../../src/provider/reply.ts";
import { count, expectSteady, one, type Talk, updates, useStage } from "./stage.ts";

const CLOCK = join(mkdtempSync(join(tmpdir(), "session-runtime-e2e-clock-")), "offset");
writeFileSync(CLOCK, "0");

const stage = useStage({
  env: { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: CLOCK },
  config: { compaction: { prune: true }, tool_output: { max_bytes: 400_000, max_lines: 50_000 } },
});

const PRUNED = "[Old tool result content cleared]";
const OUTPUT = "An old line of output.";
/** More than the host protects (40,000 tokens of four characters) and prunes at least (20,000). */
const LINES = 12_000;
const BEYOND_THE_CACHE_MS = 6 * 60_000;

/** A big result, then turns until the host has blanked it. */
async function prunedTalk(): Promise<Talk> {
  const talk = await stage.talk();
  const command = `yes '${OUTPUT}' | head -n ${LINES}`;
  stage.provider.script.queueFor(
    talk.id,
    call("bash", { command, description: "Print much" }),
    say("Much."),
  );
  await talk.say("One");
  await talk.say("Two");
  await talk.say("Three");
  while (!(await isPruned(talk))) await Bun.sleep(20);
  return talk;
}

async function isPruned({ client, id }: Talk): Promise<boolean> {
  const parts = (await client.messages(id)).flatMap((message) => message.parts);
  const tool = one(parts.find((part) => part.type === "tool"));
  return tool.type === "tool" && tool.state.status === "completed" && !!tool.state.time.compacted;
}

test("J22: with prune on, sent bytes hold until a cold boundary, and then the blank holds", async () => {
  const talk = await prunedTalk();
  await talk.say("Four");
  await stage.host.restart({});
  await talk.say("Five");
  expectSteady(talk.main());
  // The command itself holds the line once.
  expect(count(talk.last(), OUTPUT)).toBe(LINES + 1);
  expect(count(talk.last(), PRUNED)).toBe(0);

  writeFileSync(CLOCK, String(BEYOND_THE_CACHE_MS));
  await talk.say("Six");
  const cold = talk.main().length;
  expect(count(talk.last(), OUTPUT)).toBe(1);
  expect(count(talk.last(), PRUNED)).toBe(1);
  await talk.say("Seven");
  talk.edit({ "AGENTS.md": "Be kind.\n" });
  await talk.say("Eight");
  expectSteady(talk.main().slice(cold - 1));
  expect(count(talk.last(), PRUNED)).toBe(1);
  expect(updates(talk.last()).join()).toContain("Be kind.");
});
