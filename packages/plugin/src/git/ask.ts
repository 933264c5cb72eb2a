// Asks git about a folder, whatever repository the process itself was started in.
// Folder: Asks git about a folder.
import { execFile } from "node:child_process";

/** A history of a million commits is read in a few seconds. */
const ANSWER_TIMEOUT_MS = 30_000;
const MOST_ANSWER_BYTES = 512 * 1024 * 1024;

/** Started in a hook of git's, a process is told of a repository that it would ask instead. */
const OTHER_REPOSITORY = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_COMMON_DIR",
  "GIT_PREFIX",
];

/** What git is run with: it writes nothing into the repository for being asked. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !OTHER_REPOSITORY.includes(name));
  return { ...Object.fromEntries(own), GIT_OPTIONAL_LOCKS: "0" };
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
