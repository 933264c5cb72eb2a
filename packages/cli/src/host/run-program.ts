// Runs a program to its end, and ends it with its children at a deadline.
import { stripVTControlCharacters } from "node:util";
import { onEarlyEnd } from "./early-end.ts";
import type { Environment } from "./places.ts";
import { killTree, spawnTree } from "./process-tree.ts";

/** Holds a program's result. Its texts are without colours. */
export interface ProgramRun {
  /**
   * Says how the program ended; `out-of-time` means that it was killed at its deadline, with its children.
   */
  readonly end: "by-itself" | "by-signal" | "out-of-time";
  /** The exit code; null unless it ended by itself. */
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
}

interface ProgramSettings {
  readonly cwd: string;
  /** The program's whole environment. */
  readonly env: Environment;
  /** The program's input; nothing by default. */
  readonly input?: string;
  /** The signal that ends a program at its deadline. */
  readonly deadline: AbortSignal;
}

/**
 * Limits how long a pipe may stay open after its program was killed: a process that left the group holds it.
 */
const PIPE_GRACE_MS = 500;

/** Runs a program to its end. Throws if it can't be started. */
export function runProgram(
  file: string,
  words: readonly string[],
  { cwd, env, input = "", deadline }: ProgramSettings,
): Promise<ProgramRun> {
  return new Promise((resolve, reject) => {
    const child = spawnTree(file, words, {
      cwd,
      env,
      stdio: [input === "" ? "ignore" : "pipe", "pipe", "pipe"],
    });
    // A program that ends before it has read all input is reported by its exit code.
    child.stdin?.once("error", () => undefined).end(input);
    const settled = onEarlyEnd(() => killTree(child, "SIGKILL"));
    const texts = { out: "", err: "" };
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      texts.out += chunk;
    });
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      texts.err += chunk;
    });
    let isOutOfTime = false;
    const giveUp = () => {
      isOutOfTime = true;
      killTree(child, "SIGKILL");
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, PIPE_GRACE_MS).unref();
    };
    if (deadline.aborted) giveUp();
    else deadline.addEventListener("abort", giveUp, { once: true });
    const finish = () => {
      deadline.removeEventListener("abort", giveUp);
      settled();
    };
    child.once("error", (error) => {
      finish();
      reject(error);
    });
    child.once("close", (code) => {
      finish();
      const exitCode = isOutOfTime ? null : code;
      const byItself = exitCode === null ? "by-signal" : "by-itself";
      resolve({
        end: isOutOfTime ? "out-of-time" : byItself,
        exitCode,
        out: stripVTControlCharacters(texts.out),
        err: stripVTControlCharacters(texts.err),
      });
    });
  });
}
