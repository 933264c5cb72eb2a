import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { runCli } from "../../cli/test/command-line.ts";
import { eventually } from "../../plugin/test/eventually.ts";
import { isolatedEnvironment } from "../src/host/process.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { say } from "../src/provider/reply.ts";
import { history, OURS, one, useStage } from "./conformance/stage.ts";
import { run } from "./inbox-stage.ts";
import { CLOCK, expectNothingLeft, jobCalls, passHours } from "./jobs-stage.ts";

// Upkeep on the real host: asked for in a session and in a shell, done beside the turns, taken back.
const stage = useStage({
  plugin: [
    [
      OURS,
      {
        memory: { enabled: true },
        jobs: { model: "anthropic/claude-second" },
        upkeep: { tasks: { archive: {}, verify: {} } },
      },
    ],
  ],
  env: { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: CLOCK },
});

const asked = (record: CallRecord) =>
  history(record)
    .map(({ text }) => text)
    .join("\n");

/** Archives what holds these words, and corrects a limit by its file. */
function answer(record: CallRecord): string {
  const text = asked(record);
  const findRef = (words: string) =>
    new RegExp(`"ref":"(m:\\w{6})"[^\\n]*${words}`).exec(text)?.[1] ?? "m:000000";
  if (record.system.includes("Below are memories that name files")) {
    const proposal = {
      ...{ do: "rewrite", ref: findRef("maxItems"), text: "maxItems is 700 in limits.ts." },
      ...{ path: "limits.ts", quote: "export const maxItems = 700;", why: "the file says so" },
    };
    return JSON.stringify({ proposals: [proposal] });
  }
  const over = { do: "archive", ref: findRef("OPS-1"), why: "the ticket is closed" };
  return JSON.stringify({ proposals: [over, { do: "archive", ref: "m:zzzzzz" }] });
}

async function shell(...words: readonly string[]): Promise<string> {
  const { home, project } = stage.host;
  const env = { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() };
  const ran = await runCli(words, env, project);
  expect(ran).toMatchObject({ err: "", exitCode: 0 });
  return ran.out;
}

describe("upkeep on the real host", () => {
  test("Z14: a task asks one child session beside the turns, changes what it may, and is undone from the shell", async () => {
    stage.provider.script.respond("job", (record) => say(answer(record)));
    const talk = await stage.talk();
    await run(talk.client, talk.id, "ctx-memory", "add Ticket OPS-1 of the shop is half done.");
    await run(talk.client, talk.id, "ctx-memory", "add Prices of the shop are cents.");
    passHours(24 * 100);
    const begun = await run(talk.client, talk.id, "ctx-upkeep", "run archive");
    expect(begun).toContain("Run 1: archive.");
    await eventually(
      () => "the run ends",
      async () => (await shell("upkeep")).includes("archive, done"),
    );
    const shown = await shell("upkeep", "show", "1");
    expect(shown).toContain("Ticket OPS-1 of the shop is half done.");
    expect(shown).toContain("Why: the ticket is closed");
    expect(shown).toContain("refused 1, about memories that were not shown: m:zzzzzz");
    const [call, ...more] = jobCalls(stage);
    expect(more).toEqual([]);
    expect(one(call).system).toStartWith("You look after the memories of a software project.");
    expect(one(call).body.tools).toBeUndefined();
    await talk.say("Hello");
    expect(talk.last().system).toContain("Prices of the shop are cents.");
    expect(talk.last().system).not.toContain("OPS-1");
    await expectNothingLeft(stage);

    expect(await shell("upkeep", "undo")).toContain("1 memory is as it was before.");
    const next = await stage.talk();
    await next.say("Hello again");
    expect(next.last().system).toContain("Ticket OPS-1 of the shop is half done.");
  });

  test("Z14: asked for in a shell it starts after the next turn, and reads the files that memories name", async () => {
    stage.provider.script.respond("job", (record) => say(answer(record)));
    writeFileSync(join(stage.host.project, "limits.ts"), "export const maxItems = 700;\n");
    // What is not under git is not read.
    execFileSync("git", ["-C", stage.host.project, "add", "limits.ts"]);
    const talk = await stage.talk();
    await run(talk.client, talk.id, "ctx-memory", "add maxItems is 40 in limits.ts.");
    expect(await shell("upkeep", "run", "verify")).toContain("with the next turn in this folder");
    await talk.say("Go on");
    await eventually(
      () => "the run ends",
      async () => (await shell("upkeep")).includes("verify, done"),
    );
    expect(asked(one(jobCalls(stage).at(-1)))).toContain("export const maxItems = 700;");
    expect(await shell("upkeep", "show")).toContain("now: maxItems is 700 in limits.ts.");
    expect(await shell("status", talk.id)).toContain("verify: done");
    await expectNothingLeft(stage);
  });
});
