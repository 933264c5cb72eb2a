import { expect, test } from "bun:test";
import { runSuite } from "../../../../scripts/suite-run.mjs";

const BUSY =
  "const until = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < until);";

test("a suite says what it took of the processor, with the processes that it started", async () => {
  const starter = `require("node:child_process").spawnSync(process.execPath, ["-e", ${JSON.stringify(BUSY)}])`;
  const env = { BUN_BE_BUN: "1" };
  const alone = await runSuite({ command: process.execPath, args: ["-e", BUSY], env });
  expect(alone.processorSeconds).toBeGreaterThan(0.29);
  const started = await runSuite({ command: process.execPath, args: ["-e", starter], env });
  expect(started.processorSeconds).toBeGreaterThan(0.29);
});

test("a suite keeps its exit code and its output, and one that can't be started has failed", async () => {
  const env = { BUN_BE_BUN: "1" };
  const args = ["-e", `console.log("said"); process.exit(7)`];
  expect(await runSuite({ command: process.execPath, args, env })).toMatchObject({
    code: 7,
    output: "said\n",
    report: "",
  });
  const missing = await runSuite({ command: "/nowhere/at-all", args: [], env });
  expect(missing.code).not.toBe(0);
});
