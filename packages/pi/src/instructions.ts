// Finds Pi's instruction files: in the agent's folder, then in each folder from the root down, one file in each.
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { InstructionScope } from "@session-runtime/opencode/sources/instruction-scope";

/** Lists file names, of which the first one found counts in each folder (Pi 1.5.2 and 1.6.0). */
const NAMES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

interface Place {
  readonly directory: string;
  readonly worktree: string;
  readonly agentFolder: string;
  readonly files: "all" | "none";
}

/** Lists Pi's own flags for starting without instruction files, including the agent folder's. */
const WITHOUT: ReadonlySet<string> = new Set(["--no-context-files", "-nc"]);

export function filesWanted(words: readonly string[]): Place["files"] {
  return words.some((word) => WITHOUT.has(word)) ? "none" : "all";
}

/** Builds a scope that lists all files by path, so that no other host's search rules apply. */
export function piScope(place: Place): InstructionScope {
  const { directory, worktree, agentFolder } = place;
  const found =
    place.files === "all" ? [agentFolder, ...downward(directory)].map(watchInstructionFile) : [];
  return {
    directory,
    worktree,
    configDirectory: join(agentFolder, "no-instructions-here"),
    homeDirectory: homedir(),
    projectFiles: "ignored",
    claudeFiles: "ignored",
    configured: () => found.flatMap((file) => file()),
  };
}

/**
 * Covers the folder's clock tick, within which it may change twice: a check that soon after a change decides
 * nothing.
 */
const SETTLED_MS = 2_000;

/** Watches a folder for its file. While the folder is unchanged, the name is reused without a search. */
function watchInstructionFile(folder: string): () => readonly string[] {
  let known: { readonly changedMs: number; readonly file: readonly string[] } | null = null;
  return () => {
    const changedMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (changedMs === undefined) return [];
    if (known?.changedMs === changedMs) return known.file;
    const file = fileIn(folder);
    known = Date.now() - changedMs > SETTLED_MS ? { changedMs, file } : null;
    return file;
  };
}

function fileIn(folder: string): readonly string[] {
  return NAMES.map((name) => join(folder, name))
    .filter(isThere)
    .slice(0, 1);
}

/**
 * Says whether a path exists. An unreadable one counts as existing: its source is unavailable, and the model's
 * knowledge stands.
 */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function downward(directory: string): readonly string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [...downward(above), directory];
}

/** Returns the nearest folder with a repository; the root where there is none, as on OpenCode. */
export function findWorktree(directory: string): {
  readonly worktree: string;
  readonly vcs: "git" | null;
} {
  const found = downward(directory).findLast((folder) => existsSync(join(folder, ".git")));
  return found === undefined ? { worktree: "/", vcs: null } : { worktree: found, vcs: "git" };
}

export function agentFolder(env: NodeJS.ProcessEnv): string {
  return env.PI_CODING_AGENT_DIR || join(homedir(), ".pi", "agent");
}
