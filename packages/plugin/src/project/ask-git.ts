// Asks git about a folder, so that no repository can make it run a program or use the network.
import { execFile, spawn } from "node:child_process";
import { homedir } from "node:os";

// The error for a question that git does not answer in time, as on a hanging drive or while something holds a
// lock.

export class GitFailure extends Error {
  override readonly name = "NoAnswer";

  constructor(
    readonly directory: string,
    question: string,
  ) {
    super(`git ${question} gave no answer.`);
  }
}

// Builds the environment that git runs with, so that no repository can make git run a program or use the
// network.

/**
 * Overrides settings of an unpacked repository that would start a program, or fetch a missing object, when git
 * answers a question; the command's own settings win over the repository's.
 */
const GIT_SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "log.showSignature": "false",
  "protocol.allow": "never",
  // A bundle is fetched despite `protocol.allow`, and the fetch asks for a password if the server wants one.
  "fetch.bundleURI": "",
  "credential.helper": "",
};

/** Sets what git reads from its environment alone, or before any setting. */
const GIT_VARIABLES: Readonly<Record<string, string>> = {
  // Questions must not write to the repository.
  GIT_OPTIONAL_LOCKS: "0",
  // Git 2.44 and later fetch no missing objects; older versions find no transport for them.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_SSH_COMMAND: "false",
  GIT_PROXY_COMMAND: "false",
  GIT_ASKPASS: "",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
};

/**
 * Builds the environment without git's inherited variables: otherwise, a process started in a git hook would
 * ask about another repository; the environment can also carry settings.
 */
export function buildGitEnvironment(
  inherited: NodeJS.ProcessEnv,
  home: string = homedir(),
): NodeJS.ProcessEnv {
  const others = Object.entries(inherited).filter(([name]) => !/^GIT_/i.test(name));
  return {
    // A repository that contains the whole home folder is not the project of a folder below it.
    GIT_CEILING_DIRECTORIES: home,
    ...Object.fromEntries(others),
    ...GIT_VARIABLES,
  };
}

/**
 * Builds git's arguments for a question about a folder. They include the settings, because git before 2.31
 * lacks `GIT_CONFIG_COUNT`.
 */
function buildGitArguments(directory: string, args: readonly string[]): readonly string[] {
  const settings = Object.entries(GIT_SETTINGS).flatMap(([key, value]) => [
    "-c",
    `${key}=${value}`,
  ]);
  return [...settings, "-C", directory, ...args];
}

/** Limits the wait for git; a history of a million commits is read in a few seconds. */
const ANSWER_TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 512 * 1024 * 1024;

/**
 * Returns git's output; null if git refuses, or isn't installed.
 * @throws NoAnswer if git doesn't answer in time
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
      env: buildGitEnvironment(process.env),
    };
    execFile("git", buildGitArguments(directory, args), options, (error, stdout) => {
      if (error === null) resolve(stdout.trim());
      else if (error.killed === true) reject(new GitFailure(directory, args[0] ?? ""));
      else resolve(null);
    });
  });
}

/** Streams git's output. @throws if git can't be run, fails, or is aborted */
export async function* readGit(
  directory: string,
  args: readonly string[],
  abort: AbortSignal,
): AsyncGenerator<string> {
  const child = spawn("git", buildGitArguments(directory, args), {
    signal: abort,
    stdio: ["ignore", "pipe", "ignore"],
    env: buildGitEnvironment(process.env),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  // A failure is reported where `ended` is awaited, or by the stream, so it must not count as unhandled.
  ended.catch(() => undefined);
  child.stdout.setEncoding("utf8");
  for await (const chunk of child.stdout) yield String(chunk);
  const code = await ended;
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}.`);
}
