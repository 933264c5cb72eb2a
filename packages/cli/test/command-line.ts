import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCli } from "../../../scripts/build-cli.mjs";
import { processFolder } from "./process-folder.ts";

/** What one run of the command line gave. */
export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number | null;
}

let built: string | undefined;
let runs = 0;

/** The bundle as it is published, built once per test process. */
export function bundledCli(): string {
  built ??= buildCli(join(processFolder(), "dist"));
  return built;
}

/** Runs it under Node, the floor of the command line; `env` is all of its environment. */
export async function runCli(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd: string = tmpdir(),
): Promise<Ran> {
  runs += 1;
  const [out, err] = ["out", "err"].map((name) => join(processFolder(), `run-${runs}.${name}`));
  if (out === undefined || err === undefined) throw new Error("two files are named above");
  // Files and no pipes: Bun 1.3.14 now and then closes the pipes of a child twice, and with the
  // second time whatever has got their numbers meanwhile.
  const child = Bun.spawn(["node", bundledCli(), ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: Bun.file(out),
    stderr: Bun.file(err),
  });
  const exitCode = await child.exited;
  return { out: readFileSync(out, "utf8"), err: readFileSync(err, "utf8"), exitCode };
}
