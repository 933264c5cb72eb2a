// Where Pi's instruction files stand: the agent's folder, then each folder from the root down, one name in each.
import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { InstructionScope } from "../../plugin/src/sources/instruction-scope.ts";

/** In each folder the first of them counts (Pi 1.5.2). */
const NAMES = ["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"];

interface Place {
  readonly directory: string;
  readonly worktree: string;
  readonly agentFolder: string;
}

/** All of them are listed by their paths, so that nothing is looked for by the rules of another host. */
export function piScope({ directory, worktree, agentFolder }: Place): InstructionScope {
  const found = [agentFolder, ...downward(directory)].map(fileOf);
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
function fileOf(folder: string): () => readonly string[] {
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
  const name = NAMES.find((one) => existsSync(join(folder, one)));
  return name === undefined ? [] : [join(folder, name)];
}

function downward(directory: string): readonly string[] {
  const above = dirname(directory);
  return above === directory ? [directory] : [...downward(above), directory];
}

/** The nearest folder with a repository; the root where there is none, as on OpenCode. */
export function worktreeOf(directory: string): {
  readonly worktree: string;
  readonly vcs: "git" | null;
} {
  const found = downward(directory).findLast((folder) => existsSync(join(folder, ".git")));
  return found === undefined ? { worktree: "/", vcs: null } : { worktree: found, vcs: "git" };
}

export function agentFolder(env: NodeJS.ProcessEnv): string {
  return env.PI_CODING_AGENT_DIR || join(homedir(), ".pi", "agent");
}
