import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildCli } from "../../../scripts/build-cli.mjs";

/** What one run of the command line gave. */
export interface Ran {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number | null;
}

let built: string | undefined;

const FOLDER = "session-runtime-cli-of-";

/** The bundle as it is published, built once per test process. */
export function bundledCli(): string {
  if (built === undefined) {
    sweep();
    built = buildCli(join(tmpdir(), `${FOLDER}${process.pid}`, "dist"));
  }
  return built;
}

/** Test processes get no word of their end: the next one removes what those before it have left. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(FOLDER) || isAlive(Number(name.slice(FOLDER.length)))) continue;
    rmSync(join(tmpdir(), name), { recursive: true, force: true });
  }
  mkdirSync(join(tmpdir(), `${FOLDER}${process.pid}`), { recursive: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
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
