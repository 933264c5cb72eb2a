// The folder and environment of a command line that was started again.

/** Where the command line was typed, for a process that was started elsewhere to run it again. */
export const FOLDER_VARIABLE = "SESSION_RUNTIME_FOLDER";

/** Goes back to that folder, and leaves nothing behind that a process started from here would inherit. */
export function arriveFromRerun(env: NodeJS.ProcessEnv): void {
  const folder = env[FOLDER_VARIABLE];
  if (folder === undefined) return;
  delete env[FOLDER_VARIABLE];
  delete env.BUN_BE_BUN;
  process.chdir(folder);
}
