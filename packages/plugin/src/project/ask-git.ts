// Asks git about a folder, whatever repository the process itself was started in.
import { execFile, spawn } from "node:child_process";
import { gitArguments, gitEnvironment } from "./git-environment.ts";
import { GitFailure } from "./git-failure.ts";

/** Limits the wait for git; a history of a million commits is read in a few seconds. */
const ANSWER_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

/**
 * Returns git's output; null where it refuses, or isn't there. @throws NoAnswer where it doesn't answer in
 * time
 */
export function askGit(
  directory: string,
  args: readonly string[],
  timeoutMs: number = ANSWER_TIMEOUT_MS,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: timeoutMs,
      maxBuffer: MAX_ANSWER_BYTES,
      env: gitEnvironment(process.env),
    };
    execFile("git", gitArguments(directory, args), options, (error, stdout) => {
      if (error === null) resolve(stdout.trim());
      else if (error.killed === true) reject(new GitFailure(directory, args[0] ?? ""));
      else resolve(null);
    });
  });
}

/** Streams git's output. @throws where git can't be run, fails, or is aborted */
export async function* readGit(
  directory: string,
  args: readonly string[],
  abort: AbortSignal,
): AsyncGenerator<string> {
  const child = spawn("git", gitArguments(directory, args), {
    signal: abort,
    stdio: ["ignore", "pipe", "ignore"],
    env: gitEnvironment(process.env),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  // The await below, or the stream itself, reports this failure.
  ended.catch(() => undefined);
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout) yield String(chunk);
  const code = await ended;
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}.`);
}
