// Where Pi's instruction files stand: the agent's folder, then each folder from the root down, one name in each.
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { InstructionScope } from "../../plugin/src/sources/instruction-scope.ts";

/** In each folder the first of them counts (Pi 1.5.2 and 1.6.0). */
const NAMES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

interface Place {
  readonly directory: string;
  readonly worktree: string;
  readonly agentFolder: string;
  readonly files: "all" | "none";
}

/** Pi's own words for starting without any, the agent's folder's included. */
const WITHOUT: ReadonlySet<string> = new Set(["--no-context-files", "-nc"]);

export function filesWanted(words: readonly string[]): Place["files"] {
  return words.some((word) => WITHOUT.has(word)) ? "none" : "all";
}

/** All of them are listed by their paths, so that nothing is looked for by the rules of another host. */
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

/** A folder may change twice within one tick of its clock: a look that soon after a change decides nothing. */
const SETTLED_MS = 2_000;

/** Each call asks: as long as the folder is as it was, so is the name, and none of them is looked for. */
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

/** What can't be looked at is there: its source is then unavailable, and what the model knows of it stands. */
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

/** The nearest folder with a repository; the root where there is none, as on OpenCode. */
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
