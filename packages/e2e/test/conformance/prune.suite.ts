import { expect, onTestFinished, test } from "bun:test";
import { call, say } from "../../src/provider/reply.ts";
import { setClock, stage } from "./one-host.ts";
import { AGENTS_MD, count, expectSteady, one, type Talk, updates } from "./stage.ts";

const PRUNED = "[Old tool result content cleared]";
const OUTPUT = "An old line of output.";
/** More than the host protects (40,000 tokens of four characters) and prunes at least (20,000). */
const LINES = 12_000;
const BEYOND_THE_CACHE_MS = 6 * 60_000;

/** A big result, then turns until the host has blanked it. */
async function prunedTalk(): Promise<Talk> {
  const config = {
    compaction: { prune: true },
    tool_output: { max_bytes: 400_000, max_lines: 50_000 },
  };
  const folder = stage.host.addProject("pruned", {
    "AGENTS.md": AGENTS_MD,
    "opencode.json": JSON.stringify(config),
  });
  const talk = await stage.talk(stage.host.createClient(folder));
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

  onTestFinished(() => setClock(0));
  setClock(BEYOND_THE_CACHE_MS);
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
