// Asks git about a folder, whatever repository the process itself was started in.
// Folder: Asks git about a folder.
import { execFile } from "node:child_process";

/** A history of a million commits is read in a few seconds. */
const ANSWER_TIMEOUT_MS = 30_000;
const MOST_ANSWER_BYTES = 512 * 1024 * 1024;

/** Started in a hook of git's, a process inherits a repository that it would ask instead. */
const OTHER_REPOSITORY = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_PREFIX",
];

/** An unpacked repository brings its own settings: these would have git run a program of theirs for being asked. */
const NO_PROGRAMS = { "log.showSignature": "false", "core.fsmonitor": "false" };

/** What git is run with: it writes nothing into the repository for being asked, and runs nothing of it. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !OTHER_REPOSITORY.includes(name));
  const count = Number(process.env.GIT_CONFIG_COUNT) || 0;
  const settings = Object.entries(NO_PROGRAMS).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${count + index}`, key],
    [`GIT_CONFIG_VALUE_${count + index}`, value],
  ]);
  return {
    ...Object.fromEntries([...own, ...settings]),
    GIT_CONFIG_COUNT: String(count + Object.keys(NO_PROGRAMS).length),
    GIT_OPTIONAL_LOCKS: "0",
  };
}

/** What it prints; null where it refuses, or isn't there. @throws where it doesn't answer in time */
export function askGit(directory: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const options = {
      timeout: ANSWER_TIMEOUT_MS,
      maxBuffer: MOST_ANSWER_BYTES,
      env: gitEnvironment(),
    };
    execFile("git", ["-C", directory, ...args], options, (error, stdout) => {
      if (error === null) resolve(stdout.trim());
      else if (error.killed === true) reject(new Error(`git ${args[0]} gave no answer.`));
      else resolve(null);
    });
  });
}
