import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { runCli } from "../../cli/test/command-line.ts";
import { eventually } from "../../plugin/test/eventually.ts";
import { writeFiles } from "../src/host/home.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import { held, makeGate, say } from "../src/provider/reply.ts";
import { prefixBreaks } from "../src/wire.ts";
import { baseline, OURS, type Talk, updates, useStage } from "./conformance/stage.ts";
import { folds, middle, texts, work } from "./history-stage.ts";
import { run } from "./inbox-stage.ts";

// The main job on the real OpenCode, in one session: set up, freeze, announce, fold, kill, resume, status, remove.
const stage = useStage({ plugin: [] });
const TURNS = 6;

const configFolder = () => join(stage.host.home.config, "opencode");
const config = () => readFileSync(join(configFolder(), "opencode.json"), "utf8");

async function setup(...words: readonly string[]): Promise<void> {
  const { home, project } = stage.host;
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  const { exitCode, err } = await runCli(["setup", "--yes", ...words], env, project);
  expect({ exitCode, err }).toMatchObject({ exitCode: 0 });
}

/** A prompt that hangs at the provider, and one that waits behind it. */
async function interrupted(talk: Talk): Promise<void> {
  const before = talk.main().length;
  stage.provider.script.queueFor(talk.id, held(makeGate(), say("Never.")));
  await talk.client.promptAsync(talk.id, "Interrupted");
  await eventually("the call is there", () => talk.main().length === before + 1);
  expect(await run(talk.client, talk.id, "ctx-queue", "Queued")).toContain("queue");
}

test("the main job on OpenCode: set up, frozen, announced once, folded, killed, resumed, shown, and removed to the byte", async () => {
  const stock = config();
  await setup("--no-check", "--no-launcher", "--spec", OURS);
  const own = { history: { rewrite: "pressure" }, recall: { enabled: false } };
  writeFiles(configFolder(), { "session-runtime.jsonc": JSON.stringify(own) });
  await stage.host.restart({});

  // Frozen: what the host would render anew is sent as it was; the edit is announced once.
  const talk = await stage.talk();
  await talk.say("Hello", middle);
  const frozen = baseline(talk.last());
  talk.edit({ "AGENTS.md": "Answer in rhymes.\n" });
  await talk.say("Go on", middle);
  await talk.say("And on", middle);
  expect(baseline(talk.last())).toBe(frozen);
  expect(updates(talk.last())).toHaveLength(1);
  expect(updates(talk.last())[0]).toContain("Answer in rhymes.");
  expect(prefixBreaks(talk.main())).toEqual([]);

  // The work is folded on demand; what was said stays where it stands.
  for (let turn = 1; turn <= TURNS; turn++) await work(stage, talk, turn);
  expect(await run(talk.client, talk.id, "ctx-fold")).toContain("At your next message: ");
  await talk.say("Folded?", middle);
  expect(folds(talk.last())[0]).toContain("$ seq");
  expect(texts(talk.last())).toContain("Do turn 1");
  expect(texts(talk.last()).join("\n")).toContain("The value of turn 1 is 31.");
  const folded = talk.last();

  // Killed in a turn, and resumed: the same prefix, and no prompt is lost or sent twice.
  await interrupted(talk);
  await stage.host.kill9();
  await stage.host.start({});
  const { client } = stage.host;
  await run(client, talk.id, "ctx-resume");
  const again = stage.join(talk.id, client);
  const said = (text: string) => texts(again.last()).filter((one) => one === text).length;
  await eventually("both prompts are at the provider", () => said("Queued") === 1);
  expect(said("Interrupted")).toBe(1);
  expect(prefixBreaks([folded, again.last()])).toEqual([]);

  // Shown without a model call.
  const calls = stage.provider.calls.length;
  expect(await run(client, talk.id, "ctx-status")).toContain("was answered without a model call");
  expect(stage.provider.calls).toHaveLength(calls);

  await setup("--remove");
  expect(config()).toBe(stock);
});
