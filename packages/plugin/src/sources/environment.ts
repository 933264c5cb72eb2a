// `core/environment`: where the session runs.
import * as z from "zod";
import { type SourceDefinition, toWellFormed } from "../context/source.ts";

const environmentSchema = z.object({
  directory: z.string(),
  worktree: z.string(),
  git: z.enum(["yes", "no"]),
  platform: z.string(),
});

/** Describes where the session runs, in the host's terms. */
export type Environment = z.infer<typeof environmentSchema>;

export function createEnvironmentSource(load: () => Environment): SourceDefinition<Environment> {
  let last: { readonly given: Environment; readonly value: Environment } | null = null;
  /** Returns the same object for an equal value, so that it is encoded once. */
  const reuseEqual = (given: Environment): Environment => {
    if (last?.given !== given) last = { given, value: normalize(given) };
    return last.value;
  };
  return {
    key: "core/environment",
    schema: environmentSchema,
    load: () => reuseEqual(load()),
    baseline: (current) =>
      `Here is some useful information about the environment you are running in:\n${renderBlock(current)}`,
    update: (_previous, current) =>
      `The environment you are running in is now:\n${renderBlock(current)}`,
  };
}

/** Reads the environment from a frozen environment block; null if it can't be read. */
export function parseEnvironment(frozen: string): Environment | null {
  const parsed = environmentSchema.safeParse(environmentPattern.exec(frozen)?.groups);
  return parsed.success ? normalize(parsed.data) : null;
}

const environmentPattern =
  /<env>\n {2}Working directory: (?<directory>[\s\S]*)\n {2}Workspace root folder: (?<worktree>[\s\S]*)\n {2}Is directory a git repo: (?<git>yes|no)\n {2}Platform: (?<platform>[^\n]*)\n {2}Today's date: [^\n]*\n<\/env>$/;

function renderBlock(environment: Environment): string {
  return [
    "<env>",
    `  Working directory: ${environment.directory}`,
    `  Workspace root folder: ${environment.worktree}`,
    `  Is directory a git repo: ${environment.git}`,
    `  Platform: ${environment.platform}`,
    "</env>",
  ].join("\n");
}

function normalize(environment: Environment): Environment {
  return {
    directory: toWellFormed(environment.directory),
    worktree: toWellFormed(environment.worktree),
    git: environment.git,
    platform: toWellFormed(environment.platform),
  };
}
