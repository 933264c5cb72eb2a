// Runs a program to its end.
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { Environment } from "./places.ts";

/** What a program came to. Its texts are without colours. */
export interface ProgramRun {
  /** Null if a signal ended it, that of the time limit too. */
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ProgramSettings {
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Environment;
  readonly timeoutMs: number;
}

/** Runs a program to its end, with nothing to read. Throws if it can't be started. */
export function runProgram(
  file: string,
  words: readonly string[],
  { cwd, env, timeoutMs }: ProgramSettings,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, [...words], {
      cwd,
      env,
      timeout: timeoutMs,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const texts = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      texts.out += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      texts.err += chunk;
    });
    child.on("error", reject);
    child.on("close", (exitCode) => {
      const out = stripVTControlCharacters(texts.out);
      resolve({ exitCode, out, err: stripVTControlCharacters(texts.err) });
    });
  });
}
