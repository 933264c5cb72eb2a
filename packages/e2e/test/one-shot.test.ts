// Our commands in `opencode run --command`, a process that ends with the command.
import { expect, setDefaultTimeout, test } from "bun:test";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { isolatedEnvironment } from "../src/host/process.ts";
import type { Bench } from "../src/open.ts";
import { allAnswered, inputs, run, states, useInboxHost, userTexts } from "./inbox-stage.ts";

const bench = useInboxHost();
setDefaultTimeout(600_000);

interface EndedRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `opencode run --session ID --command …` on the host's own home and project. */
async function runOnce(
  { host }: Bench,
  id: string,
  ...words: readonly string[]
): Promise<EndedRun> {
  const child = Bun.spawn([hostBinary(), "run", "--session", id, "--command", ...words], {
    cwd: host.project,
    env: isolatedEnvironment(host.home),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, stdout, stderr };
}

async function session(): Promise<string> {
  const { client } = bench().host;
  const { id } = await client.createSession();
  await client.prompt(id, "Hello");
  return id;
}

test("ctx-status prints the report on standard output, writes nothing to the session, and ends with 0", async () => {
  const id = await session();
  const { code, stdout, stderr } = await runOnce(bench(), id, "ctx-status");
  expect(stdout).toContain("Session Runtime");
  expect(stdout).toContain("epoch");
  expect(stderr).toContain("This is not a failure");
  expect(code).toBe(0);
  expect(userTexts(await bench().host.client.messages(id))).toEqual(["Hello"]);
});

test("ctx-queue says that the prompt waits, sends nothing, and /ctx-resume sends it later", async () => {
  const { host } = bench();
  const id = await session();
  const { code, stdout } = await runOnce(bench(), id, "ctx-queue", "Now write the tests");
  expect(stdout).toContain("Queued as number 1. OpenCode ends with this command");
  expect(code).toBe(0);
  expect(states(bench(), id)).toEqual(["answered", "waiting"]);
  expect((await runOnce(bench(), id, "ctx-resume")).stdout).toContain("Nothing was started");
  expect(states(bench(), id)).toEqual(["answered", "waiting"]);
  await run(host.client, id, "ctx-resume");
  await allAnswered(bench(), id);
  expect(userTexts(await host.client.messages(id))).toEqual(["Hello", "Now write the tests"]);
  expect(inputs(bench(), id)).toHaveLength(2);
});
