// Runs a command in a process group of its own, bounded in time and output.
import { type ChildProcess, spawn } from "node:child_process";
import { absent, type LoadResult, Unavailable } from "../context/source.ts";
import type { CommandLine } from "./custom-spec.ts";
import { readErrorCode } from "./file-stats.ts";
import { countBytesToRead, decodeUtf8, limitText } from "./read-file.ts";

interface CommandRun {
  readonly line: CommandLine;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  /** A signal that ends the command early. */
  readonly signal: AbortSignal;
}

/** Says how a command ended. Reasons name what happened, and never quote the command's output. */
export type CommandResult =
  | { readonly kind: "said"; readonly output: string }
  | { readonly kind: "failed"; readonly reason: string };

export function toLoadResult(end: CommandResult): LoadResult<string> {
  if (end.kind === "failed") return new Unavailable(end.reason);
  const output = end.output.trimEnd();
  return output === "" ? absent : output;
}

/** Limits how long a process that a command left running may keep its output open. */
const lingerMs = 250;

/**
 * Runs a command in a process group of its own. At its end, at its timeout, and when its output exceeds
 * `maxBytes`, the whole group is killed: no child outlives it. Never rejects.
 */
export async function runCommand(run: CommandRun): Promise<CommandResult> {
  try {
    return await watchProcess(startProcess(run), run);
  } catch (error) {
    return { kind: "failed", reason: `can't be started (${readErrorCode(error)})` };
  }
}

function watchProcess(child: ChildProcess, run: CommandRun): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>();
  const output = new BoundedOutput(countBytesToRead(run.maxBytes));
  const stop = () => kill({ kind: "failed", reason: "the host ended" });
  const onTimeout = () =>
    kill({ kind: "failed", reason: `still running after ${run.timeoutMs} ms; it was killed` });
  const timer = setTimeout(onTimeout, run.timeoutMs);
  const end = (how: CommandResult) => {
    clearTimeout(timer);
    run.signal.removeEventListener("abort", stop);
    child.stdout?.destroy();
    resolve(how);
  };
  const kill = (how: CommandResult) => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
    end(how);
  };
  run.signal.addEventListener("abort", stop);
  child.on("error", (error) =>
    end({ kind: "failed", reason: `can't be started (${readErrorCode(error)})` }),
  );
  child.stdout?.on("data", (chunk: Uint8Array) => {
    if (output.add(chunk) === "full") kill({ kind: "said", output: output.text(run.maxBytes) });
  });
  child.on("exit", (status, signal) => {
    // A child that was left running would live on, and may hold the output open.
    killGroup(child);
    const finish = () => end(toCommandResult(status, signal, output.text(run.maxBytes)));
    child.once("close", finish);
    setTimeout(finish, lingerMs);
  });
  if (run.signal.aborted) stop();
  return promise;
}

function startProcess({ line, directory, env }: CommandRun): ChildProcess {
  const [program, words] =
    line.kind === "words" ? [line.program, line.words] : ["/bin/sh", ["-c", line.line]];
  return spawn(program, words, {
    cwd: directory,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
  });
}

function toCommandResult(
  status: number | null,
  signal: string | null,
  output: string,
): CommandResult {
  if (status === 0) return { kind: "said", output };
  const reason = signal === null ? `exit code ${status}` : `ended by ${signal}`;
  return { kind: "failed", reason };
}

/** Kills the group, which is already gone if the command has ended without leaving children. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (readErrorCode(error) !== "ESRCH" && readErrorCode(error) !== "EPERM") throw error;
  }
}

class BoundedOutput {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(private readonly limitBytes: number) {}

  add(chunk: Uint8Array): "feature" | "full" {
    const kept = chunk.subarray(0, this.limitBytes - this.#bytes);
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    return this.#bytes >= this.limitBytes ? "full" : "feature";
  }

  text(maxBytes: number): string {
    return limitText(decodeUtf8(Buffer.concat(this.#chunks)), maxBytes);
  }
}
