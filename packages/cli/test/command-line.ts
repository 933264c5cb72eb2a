import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildCli } from "../../../scripts/build-cli.mjs";
import { hostBinary } from "../../../scripts/host-binary.mjs";
import { FOLDER_VARIABLE, SCRIPT_VARIABLE } from "../src/database/rerun-arrival.ts";
import { processFolder } from "./process-folder.ts";

/** What one run of the command line gave. */
export interface CommandOutput {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number | null;
}

/**
 * Of the engine of a Bun that runs a command for half a second: without a collector and with code compiled
 * later, it does a third less. Long runs have it as it ships.
 */
const SHORT_RUNS: Readonly<Record<string, string>> =
  process.env.LONG === "1"
    ? {}
    : {
        BUN_JSC_useGC: "0",
        BUN_JSC_useFTLJIT: "0",
        BUN_JSC_thresholdForJITAfterWarmUp: "5000",
        BUN_JSC_thresholdForOptimizeAfterWarmUp: "10000",
      };

let built: string | undefined;
let runs = 0;

/** The bundle as it is published, built once per test process. */
export function bundledCli(): string {
  built ??= buildCli(join(processFolder(), "dist"));
  return built;
}

/** Runs it under Node, the floor of the command line; `env` is all of its environment. */
export function runCli(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = tmpdir(),
): Promise<CommandOutput> {
  return finished(["node", bundledCli(), ...words], env, cwd);
}

/**
 * Runs it as a Node without SQLite starts it again, under the host's Bun: half of the work where it is
 * the command that is tested, and not how it gets there.
 */
export function runRerun(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<CommandOutput> {
  const script = bundledCli();
  const arrival = { BUN_BE_BUN: "1", [FOLDER_VARIABLE]: cwd, [SCRIPT_VARIABLE]: script };
  const all = { ...SHORT_RUNS, ...env, ...arrival };
  return finished([hostBinary(), script, ...words], all, dirname(script));
}

async function finished(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<CommandOutput> {
  runs += 1;
  const [out, err] = ["out", "err"].map((name) => join(processFolder(), `run-${runs}.${name}`));
  if (out === undefined || err === undefined) throw new Error("two files are named above");
  // Files and no pipes: Bun 1.3.14 now and then closes the pipes of a child twice, and with the
  // second time whatever has got their numbers meanwhile.
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: Bun.file(out),
    stderr: Bun.file(err),
  });
  const exitCode = await child.exited;
  return { out: readFileSync(out, "utf8"), err: readFileSync(err, "utf8"), exitCode };
}
