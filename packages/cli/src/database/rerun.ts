// Runs the command line again with Bun where this Node has no SQLite.
import { spawn } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { CliError, EXIT, type ExitCode } from "../cli-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { findBun } from "./bun-programs.ts";
import { FOLDER_VARIABLE, SCRIPT_VARIABLE } from "./rerun-arrival.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs this command line again with a Bun that has the SQLite which this Node lacks. */
export async function rerunUnderBun({ env }: Terminal): Promise<ExitCode> {
  const program = findBun(env);
  if (program === null) throw noSqlite();
  const script = realpathSync(process.argv[1] ?? "");
  const child = spawn(program, [script, ...process.argv.slice(2)], {
    // Bun reads .env and bunfig.toml, with code to run first, from the folder where it starts.
    cwd: dirname(script),
    env: {
      ...env,
      BUN_BE_BUN: "1",
      [FOLDER_VARIABLE]: process.cwd(),
      [SCRIPT_VARIABLE]: process.argv[1],
    },
    stdio: "inherit",
  });
  // A terminal sends Ctrl-C to both: the child decides how it ends.
  const forward = (signal: NodeJS.Signals) => void child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    return await ended(child, program);
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward);
  }
}

function ended(child: ReturnType<typeof spawn>, program: string): Promise<ExitCode> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      const advice = `Its SQLite is needed, because this Node (${process.version}) has none. ${REMEDY}`;
      reject(new CliError("no-sqlite", `${program} can't be run: ${error.message}.`, advice));
    });
    child.once("exit", (code, signal) => resolve(toExitCode(code, signal)));
  });
}

function toExitCode(code: number | null, signal: NodeJS.Signals | null): ExitCode {
  if (signal === "SIGINT") return EXIT.cancelled;
  return Object.values(EXIT).find((known) => known === code) ?? EXIT.failed;
}

const REMEDY =
  "Install Node 22.13 or later (https://nodejs.org), which includes SQLite, or OpenCode (https://opencode.ai), whose SQLite is then used.";

function noSqlite(): CliError {
  return new CliError(
    "no-sqlite",
    `SQLite is not available: this Node (${process.version}) has none, and neither OpenCode nor Bun was found.`,
    REMEDY,
    EXIT.missing,
  );
}
