// The environment that git runs with, so that no repository can make it run a program or use the network.
import { homedir } from "node:os";

/**
 * Overrides settings of an unpacked repository that would start a program, or fetch a missing object, when git
 * answers a question; the command's own settings win over the repository's.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "log.showSignature": "false",
  "protocol.allow": "never",
  // A bundle is fetched despite `protocol.allow`, and asks for a password where the server wants one.
  "fetch.bundleURI": "",
  "credential.helper": "",
};

/** Sets what git reads from its environment alone, or before any setting. */
const VARIABLES: Readonly<Record<string, string>> = {
  // Questions must not write to the repository.
  GIT_OPTIONAL_LOCKS: "0",
  // Git 2.44 and later fetch no missing object; older versions find no transport for it.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_SSH_COMMAND: "false",
  GIT_PROXY_COMMAND: "false",
  GIT_ASKPASS: "",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
};

/**
 * Builds the environment without git's inherited variables: a process started in a git hook would otherwise
 * ask about another repository, and the environment can carry settings too.
 */
export function gitEnvironment(
  inherited: NodeJS.ProcessEnv,
  home: string = homedir(),
): NodeJS.ProcessEnv {
  const others = Object.entries(inherited).filter(([name]) => !/^GIT_/i.test(name));
  return {
    // A repository that contains the whole home folder is not the project of a folder below it.
    GIT_CEILING_DIRECTORIES: home,
    ...Object.fromEntries(others),
    ...VARIABLES,
  };
}

/** Builds git's arguments for a question about a folder: `GIT_CONFIG_COUNT` is unknown before git 2.31. */
export function gitArguments(directory: string, args: readonly string[]): readonly string[] {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  return [...settings, "-C", directory, ...args];
}
