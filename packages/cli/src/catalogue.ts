// Lists all subcommands, each loaded only when it is called.
import type { CatalogueEntry } from "./command.ts";

/** Lists the command line's own commands, which load no feature. */
const OWN: readonly CatalogueEntry[] = [
  {
    name: "setup",
    summary: "Add Session Runtime to OpenCode and Pi, or remove it",
    needs: "nothing",
    load: async () => (await import("./commands/setup.ts")).setup,
  },
  {
    name: "doctor",
    summary: "Find out what is wrong and how to fix it",
    needs: "nothing",
    load: async () => (await import("./commands/doctor.ts")).doctor,
  },
  {
    name: "status",
    summary: "Show a session: epoch, sources, updates, cache, queued prompts",
    needs: "sqlite",
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "sessions",
    summary: "List the sessions that Session Runtime knows",
    needs: "sqlite",
    load: async () => (await import("./commands/sessions.ts")).sessions,
  },
  {
    name: "show",
    summary: "Show what a call to the model was made of",
    needs: "sqlite",
    load: async () => (await import("./commands/show.ts")).show,
  },
  {
    name: "timeline",
    summary: "Show a session's cache bill, busts and epochs over time",
    needs: "sqlite",
    load: async () => (await import("./commands/timeline.ts")).timeline,
  },
  {
    name: "estimate",
    summary: "Show what your past sessions would have cost with the plugin",
    needs: "sqlite",
    load: async () => (await import("./commands/estimate.ts")).estimate,
  },
  {
    name: "search",
    summary: "Find what was said or seen in your sessions",
    needs: "sqlite",
    load: async () => (await import("./commands/search.ts")).search,
  },
  {
    name: "index",
    summary: "Index OpenCode's sessions for search",
    needs: "sqlite",
    load: async () => (await import("./commands/index.ts")).indexSessions,
  },
  {
    name: "migrate",
    summary: "Update the database, or copy sessions from another folder",
    needs: "sqlite",
    load: async () => (await import("./commands/migrate.ts")).migrate,
  },
  {
    name: "prune",
    summary: "Remove old sessions, by age or by the database's size",
    needs: "sqlite",
    load: async () => (await import("./commands/prune.ts")).prune,
  },
  {
    name: "export",
    summary: "Write one session's runtime state to a file",
    needs: "sqlite",
    load: async () => (await import("./commands/export.ts")).exportSession,
  },
  {
    name: "import",
    summary: "Read one session's runtime state from a file",
    needs: "sqlite",
    load: async () => (await import("./commands/import.ts")).importSession,
  },
];

const COMPLETIONS: CatalogueEntry = {
  name: "completions",
  summary: "Print the completions for your shell",
  needs: "nothing",
  load: async () =>
    (await import("./commands/completions.ts")).createCompletionsCommand(await loadCatalogue()),
};

/** Loads all subcommands, in the order of the help. */
export async function loadCatalogue(): Promise<readonly CatalogueEntry[]> {
  const { loadFeatureCommands } = await import("./feature-words.ts");
  return [...OWN, ...(await loadFeatureCommands()), COMPLETIONS];
}

/** Returns undefined where there is no such command. */
export async function findEntry(name: string): Promise<CatalogueEntry | undefined> {
  const isNamed = (entry: CatalogueEntry) =>
    entry.name === name || entry.formerNames?.includes(name) === true;
  return [...OWN, COMPLETIONS, ...HIDDEN].find(isNamed) ?? (await loadCatalogue()).find(isNamed);
}

/** Lists commands that the command line runs in a process of its own, and that no help shows. */
const HIDDEN: readonly CatalogueEntry[] = [
  {
    name: "check-database",
    summary: "Check the whole database for doctor",
    needs: "sqlite",
    load: async () => (await import("./commands/check-database.ts")).checkDatabase,
  },
];
