// Where Pi's instruction files stand: the agent's folder, then each folder from the root down, one name in each.
import { existsSync } from "node:fs";
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
  const folders = [agentFolder, ...downward(directory)];
  return {
    directory,
    worktree,
    configDirectory: join(agentFolder, "no-instructions-here"),
    homeDirectory: homedir(),
    projectFiles: "ignored",
    claudeFiles: "ignored",
    configured: () => folders.flatMap(fileIn),
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
