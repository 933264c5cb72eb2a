import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { bundledCli } from "../../../cli/test/command-line.ts";
import { isolatedEnvironment } from "../../src/host/process.ts";
import { say } from "../../src/provider/reply.ts";
import { run, useInboxHost } from "../inbox-stage.ts";

const WORDS = {
  instructions: "Whisper about marmalade",
  changed: "Whisper about gooseberries",
  first: "Kindly weigh the lighthouse",
  second: "Then polish the submarine",
  queued: "At last feed the glacier",
  answer: "The accordion is purple",
} as const;

const bench = useInboxHost({ files: { "AGENTS.md": `${WORDS.instructions}\n` } });

async function cli(...words: readonly string[]) {
  const { home, project } = bench().host;
  const child = Bun.spawn(["node", bundledCli(), ...words], {
    cwd: project,
    env: { ...isolatedEnvironment(home), OPENCODE_BIN: hostBinary() },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { out, err, exitCode: await child.exited };
}

test("after a session with prompts, answers, updates and a queue, the report for an issue has none of their words", async () => {
  const { host, provider } = bench();
  const { client, project } = host;
  provider.script.respond("main", () => say(WORDS.answer));
  const { id } = await client.createSession();
  await client.prompt(id, WORDS.first);
  await Bun.write(join(project, "AGENTS.md"), `${WORDS.changed}\n`);
  await client.prompt(id, WORDS.second);
  await run(client, id, "ctx-queue", WORDS.queued);
  await client.waitIdle(id);
  expect(JSON.stringify(await client.messages(id))).toContain(WORDS.answer);

  const { out, err } = await cli("doctor", "--issue");
  expect(out, err).toContain("The report is in session-runtime-report.md");
  const report = readFileSync(join(project, "session-runtime-report.md"), "utf8");
  expect(report).toContain("✔ The plugin loads: seen in the real OpenCode");
  expect(report).toContain('"event":"trace.epoch"');
  const leaked = Object.values(WORDS).filter((words) => `${report}${out}`.includes(words));
  expect(leaked).toEqual([]);
});
