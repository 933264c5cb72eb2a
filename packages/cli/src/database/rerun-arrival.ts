// Restores the folder and environment of a command line that was restarted.

/** Names the folder in which the command line was typed, for a restarted process. */
export const FOLDER_VARIABLE = "SESSION_RUNTIME_FOLDER";

/** Names the script as it was started: a link's name says how, and Bun gives only the file it leads to. */
export const SCRIPT_VARIABLE = "SESSION_RUNTIME_SCRIPT";

/** Restores that folder and name, and removes the variables, which a started process would inherit. */
export function arriveFromRerun(env: NodeJS.ProcessEnv): void {
  const folder = env[FOLDER_VARIABLE];
  if (folder === undefined) return;
  process.argv[1] = env[SCRIPT_VARIABLE] ?? process.argv[1] ?? "";
  delete env[FOLDER_VARIABLE];
  delete env[SCRIPT_VARIABLE];
  delete env.BUN_BE_BUN;
  process.chdir(folder);
}
