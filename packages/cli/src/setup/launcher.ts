// Plans the launcher's place and the changes for it.
import { accessSync, constants, lstatSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { CliError, EXIT } from "../cli-error.ts";
import { editBetween } from "../config-file/text-edit.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import {
  commandOnPath,
  isLauncher,
  LAUNCHER_NAME,
  launcherText,
  type Program,
  pathFolders,
  textAt,
} from "../launcher-file.ts";
import type { FileChange } from "./file-change.ts";

/** Says where the launcher should go: its usual place, a folder of the user's choice, or nowhere. */
export type LauncherWish =
  | { readonly kind: "usual" }
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "none" };

export interface LauncherPlan {
  /** The planned change; null where there is none. */
  readonly change: FileChange | null;
  /** Explains where a shell finds the launcher, or why there is none. */
  readonly note: string | null;
}

const NOTHING: LauncherPlan = { change: null, note: null };
const MODE = 0o755;

export function planLauncher(
  wish: LauncherWish,
  program: Program,
  { env, platform }: { readonly env: Environment; readonly platform: NodeJS.Platform },
): LauncherPlan {
  if (wish.kind === "none") return NOTHING;
  if (platform === "win32") {
    const note =
      "On Windows setup does not install the command `session-runtime`: where the documents name it, type what you have typed now.";
    return { ...NOTHING, note };
  }
  const current = commandOnPath(env);
  // npm has installed the command already.
  if (wish.kind === "usual" && current !== null && !current.isOurs) {
    const note = `The command ${LAUNCHER_NAME} already exists at ${current.path}, and setup leaves it alone. To install it in another folder, use --launcher DIR.`;
    return { ...NOTHING, note };
  }
  const folder =
    wish.kind === "folder"
      ? resolve(wish.folder)
      : current === null
        ? usualFolder(env)
        : dirname(current.path);
  return planIn(wish, folder, program, env);
}

function planIn(
  wish: LauncherWish,
  folder: string,
  program: Program,
  env: Environment,
): LauncherPlan {
  const path = join(folder, LAUNCHER_NAME);
  const before = launcherAt(path);
  if (before === "foreign") {
    if (wish.kind === "folder") throw foreign(path);
    const note = `The command ${LAUNCHER_NAME} was not installed: ${path} already exists, and is not Session Runtime's. To install it in another folder, use --launcher DIR.`;
    return { ...NOTHING, note };
  }
  const after = launcherText(program);
  const note = pathNote(path, env);
  if (before?.text === after) return { change: null, note };
  const text = before?.text ?? null;
  const edit = editBetween(text ?? "", after);
  const makesFolder = statSync(folder, { throwIfNoEntry: false }) === undefined;
  const change = { path, target: path, mode: MODE, before: text, after, makesFolder, edit };
  return { change, note };
}

/** Returns null where there is no file. */
function launcherAt(path: string): { readonly text: string } | "foreign" | null {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return null;
  const text = status.isFile() ? textAt(path) : null;
  return text !== null && isLauncher(text) ? { text } : "foreign";
}

function foreign(path: string): CliError {
  return new CliError(
    "launcher-foreign",
    `${path} already exists, and is not Session Runtime's.`,
    "Choose another folder with --launcher DIR, or leave it out with --no-launcher. Nothing was changed.",
    EXIT.usage,
  );
}

/** Returns `~/.local/bin` or `~/bin` where a shell finds it, or else the first folder of the user's own on PATH. */
function usualFolder(env: Environment): string {
  const { home } = resolvePlaces(env);
  const known = [join(home, ".local/bin"), join(home, "bin")];
  const onPath = pathFolders(env).map((folder) => resolve(folder));
  const usual = known.find((folder) => onPath.includes(folder));
  const own = onPath.find((folder) => folder.startsWith(home + sep) && isWritable(folder));
  return usual ?? own ?? join(home, ".local/bin");
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return statSync(folder).isDirectory();
  } catch {
    // A missing or unwritable folder is skipped.
    return false;
  }
}

/** Returns null where a shell finds the launcher. */
function pathNote(path: string, env: Environment): string | null {
  const folder = dirname(path);
  if (!pathFolders(env).some((one) => resolve(one) === folder)) {
    const shown = folder.replace(resolvePlaces(env).home + sep, "$HOME/");
    return `${folder} is not on your PATH: add \`export PATH="${shown}:$PATH"\` to your shell's start-up file, and the command ${LAUNCHER_NAME} works from anywhere.`;
  }
  const first = commandOnPath(env);
  if (first === null || resolve(first.path) === path) return null;
  return `Your shell finds ${first.path} first, and starts it as ${LAUNCHER_NAME}.`;
}
