// `session-runtime migrate`.
import { existsSync } from "node:fs";
import { renderReplacement } from "@session-runtime/opencode/status/notices";
import { renderCount } from "@session-runtime/opencode/status/wording";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { CliError, EXIT, type ExitCode } from "../cli-error.ts";
import { dataCommand, reading, writing } from "../database/data-command.ts";
import type { DatabasePlace } from "../database/place.ts";
import { schema } from "../database/schema.ts";
import { bringIn, databaseIn, readIncoming } from "../migrate/bring-in.ts";
import { bringUpToDate, planMigration, replaceDevelopment } from "../migrate/bring-up-to-date.ts";
import { withProgress } from "../terminal/progress.ts";
import { printJson, printLine, type Terminal } from "../terminal/terminal.ts";

export const migrate = dataCommand({
  name: "migrate",
  summary: "Update the database, or copy sessions from another folder",
  details: [
    "It backs up the database, updates its schema step by step and checks it. The plugin does",
    "the same when it starts, without the backup. A database of a development version is moved",
    "aside; memories, notes and queued prompts are copied to a new one. With --from it copies the",
    "sessions of another data folder, which is only read and must have the same schema.",
    "Sessions that are already here stay as they are.",
  ],
  args: {
    from: { type: "string", description: "Another data folder or database", valueHint: "folder" },
    "dry-run": { type: "boolean", alias: "n", description: "Only show what would be done" },
  },
  examples: [
    { line: "session-runtime migrate --dry-run", does: "says whether there is anything to do" },
    { line: "session-runtime migrate", does: "does it, and names the backup" },
    {
      line: "session-runtime migrate --from /mnt/old/.local/share",
      does: "copies the sessions from there",
    },
  ],
  run: async (args, terminal, place) => {
    const mode = { isDry: args["dry-run"] === true, isJson: args.json === true };
    if (args.from === undefined) return migrateSchema(terminal, place, mode);
    return migrateFrom(terminal, place, { ...mode, source: databaseIn(args.from) });
  },
});

interface Mode {
  readonly isDry: boolean;
  readonly isJson: boolean;
}

async function migrateSchema(
  terminal: Terminal,
  { path }: DatabasePlace,
  mode: Mode,
): Promise<ExitCode> {
  const plan = await planMigration(path, Date.now());
  if (plan?.kind === "replace" && !mode.isDry) return replace(terminal, plan, mode);
  const { isDry, isJson } = mode;
  if (plan && !isDry) {
    await withProgress(terminal, "Migrating", (progress) => bringUpToDate(plan, progress));
  }
  if (isJson) {
    const { from, to } = plan ?? { from: schema.version, to: schema.version };
    const migrated = plan !== null && !isDry;
    const backup = migrated ? plan.backup : null;
    printJson(terminal, { path, from, to, dryRun: isDry, migrated, backup });
  } else printLine(terminal, plannedText(path, plan, mode));
  return EXIT.done;
}

function plannedText(
  path: string,
  plan: Awaited<ReturnType<typeof planMigration>>,
  { isDry }: Mode,
): string {
  if (!plan) return `${path} is up to date: schema ${schema.version}.`;
  if (!isDry) return `${path} has schema ${plan.to} now. Backup: ${plan.backup}`;
  if (plan.kind === "replace") {
    return `${path} is from a development version (schema ${plan.from}). It would be moved to ${plan.backup}…, and its memories, notes and queued prompts copied to a new database.`;
  }
  return `${path} has schema ${plan.from}. It would be backed up to ${plan.backup} and updated to schema ${plan.to}.`;
}

async function replace(
  terminal: Terminal,
  { path, from, to }: NonNullable<Awaited<ReturnType<typeof planMigration>>>,
  { isJson }: Mode,
): Promise<ExitCode> {
  const replaced = await withProgress(terminal, "Moving the database aside", () =>
    replaceDevelopment({ path }),
  );
  if (isJson) {
    const { aside = null, markdown = null, kept = [], left = 0 } = replaced ?? {};
    const done = { dryRun: false, migrated: replaced !== null, backup: aside };
    printJson(terminal, { path, from, to, ...done, markdown, kept, left });
  } else if (replaced) printLine(terminal, renderReplacement(path, replaced));
  else printLine(terminal, plannedText(path, null, { isDry: false, isJson }));
  return EXIT.done;
}

async function migrateFrom(
  terminal: Terminal,
  place: DatabasePlace,
  { isDry, isJson, source }: Mode & { readonly source: string },
): Promise<ExitCode> {
  if (source === place.path) {
    throw new CliError(
      "source-is-target",
      `${source} is the database itself.`,
      "Name another folder with --from.",
      EXIT.usage,
    );
  }
  const incoming = await readIncoming(source);
  const { sessions, misnamed } = incoming;
  const fresh = isDry
    ? await missingHere(place, sessions)
    : await copied(terminal, place, incoming);
  const there = sessions.length - fresh.length;
  if (isJson)
    printJson(terminal, { source, schema: schema.version, dryRun: isDry, fresh, there, misnamed });
  else {
    const leftOut =
      misnamed === 0 ? "" : ` Left out, because their ids are not session ids: ${misnamed}.`;
    const count = renderCount(fresh.length, "session");
    const what = isDry
      ? `${source}: ${count} would be copied; already here: ${there}.`
      : `Copied ${count} from ${source}; already here, and left as they are: ${there}.`;
    printLine(terminal, what + leftOut);
  }
  return EXIT.done;
}

/** Returns the sessions that were copied. */
async function copied(
  terminal: Terminal,
  place: DatabasePlace,
  incoming: Awaited<ReturnType<typeof readIncoming>>,
): Promise<readonly string[]> {
  if (!existsSync(place.path))
    (await openRuntimeDatabase({ schema, path: place.path })).database.close();
  const brought = await withProgress(terminal, "Copying sessions", (progress) =>
    writing(place, (driver) => bringIn(driver, incoming, progress)),
  );
  return brought.flatMap(({ sessionId, result }) => (result.kind === "put" ? [sessionId] : []));
}

async function missingHere(
  place: DatabasePlace,
  sessions: readonly string[],
): Promise<readonly string[]> {
  if (!existsSync(place.path)) return sessions;
  const known = await reading(
    place,
    (driver) => new Set(driver.all("SELECT id FROM session").map(({ id }) => String(id))),
  );
  return sessions.filter((sessionId) => !known.has(sessionId));
}
