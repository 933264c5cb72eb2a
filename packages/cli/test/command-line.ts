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
  const child = Bun.spawn(["node", bundledCli(), ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { out, err, exitCode: await child.exited };
}
