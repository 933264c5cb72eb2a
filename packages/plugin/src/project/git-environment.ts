// What git is run with, so that a repository can't have it run a program or speak to a network.
import { homedir } from "node:os";

/**
 * An unpacked repository brings settings of its own. These would start a program, or fetch an object
 * that is missing, when one of our questions is asked; as the command's own they win over the repository's.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "log.showSignature": "false",
  "protocol.allow": "never",
  // A bundle is fetched past `protocol.allow`, and asks for a password where the server wants one.
  "fetch.bundleURI": "",
  "credential.helper": "",
};

/** What git reads from its environment alone, or before any setting. */
const VARIABLES: Readonly<Record<string, string>> = {
  // Being asked, it writes nothing into the repository.
  GIT_OPTIONAL_LOCKS: "0",
  // From git 2.44 on a missing object is not fetched; before that, fetching it finds no way.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_SSH_COMMAND: "false",
  GIT_PROXY_COMMAND: "false",
  GIT_ASKPASS: "",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
};

/**
 * Nothing of git's own is inherited: started in a hook of git's, a process would have it ask another
 * repository, and settings may come along by the environment too.
 */
export function gitEnvironment(
  inherited: NodeJS.ProcessEnv,
  home: string = homedir(),
): NodeJS.ProcessEnv {
  const others = Object.entries(inherited).filter(([name]) => !/^GIT_/i.test(name));
  return {
    // A repository that someone keeps their whole home in is not the project of a folder below it.
    GIT_CEILING_DIRECTORIES: home,
    ...Object.fromEntries(others),
    ...VARIABLES,
  };
}

/** The words of a question about a folder, after `git`: `GIT_CONFIG_COUNT` is not known before git 2.31. */
export function gitWords(directory: string, args: readonly string[]): readonly string[] {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ["-c", `${key}=${value}`]);
  return [...settings, "-C", directory, ...args];
}
