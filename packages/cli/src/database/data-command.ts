// Defines commands on the data: their flags, their database, their errors.
// Folder: Access to the runtime's database from the command line.
import { existsSync } from "node:fs";
import { withConnection } from "@session-runtime/opencode/storage/connect";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { openForReading, openForWriting } from "@session-runtime/opencode/storage/open-existing";
import type { ArgsDef, ParsedArgs } from "citty";
import type { ExitCode } from "../cli-error.ts";
import { type Command, command, type Example, JSON_FLAG } from "../command.ts";
import { NoSessionHere, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type DatabasePlace, findDatabase } from "./place.ts";
import { missingDatabase, refusal } from "./refusal.ts";
import { schema } from "./schema.ts";
import { quietSqliteWarning } from "./sqlite.ts";

/** Lists the flags of every command on the data. */
const DATA_FLAGS = {
  db: {
    type: "string",
    description: "Session Runtime's database, if it is not in the usual place",
    valueHint: "file",
  },
  ...JSON_FLAG,
} as const satisfies ArgsDef;

interface DataCommand<T extends ArgsDef> {
  readonly name: string;
  readonly summary: string;
  readonly details: readonly string[];
  readonly args: T;
  readonly examples: readonly Example[];
  /** Runs the command in a process that has SQLite. The user gets a `StorageError` as an ordinary error message. */
  run(
    args: ParsedArgs<T & typeof DATA_FLAGS>,
    terminal: Terminal,
    place: DatabasePlace,
  ): Promise<ExitCode>;
}

/** Builds a command on the runtime's data; the catalogue ensures that its process has SQLite. */
export function dataCommand<const T extends ArgsDef>(definition: DataCommand<T>): Command {
  const args: T & typeof DATA_FLAGS = { ...definition.args, ...DATA_FLAGS };
  return command({
    ...definition,
    args,
    run: async (parsed, terminal) => {
      quietSqliteWarning();
      const given = "db" in parsed && typeof parsed.db === "string" ? parsed.db : undefined;
      const place = await findDatabase(given, terminal.env);
      const run = async (values: typeof parsed) => {
        try {
          return await definition.run(values, terminal, place);
        } catch (error) {
          throw error instanceof StorageError ? refusal(error, place.path) : error;
        }
      };
      try {
        return await run(parsed);
      } catch (error) {
        if (!(error instanceof NoSessionHere)) throw error;
        const { sessionElsewhere } = await import("../sessions/elsewhere.ts");
        const isAll = "all" in parsed && parsed.all === true;
        const way = parsed.json === true || isAll ? "name" : "ask";
        const session = await sessionElsewhere(error, definition.name, way, terminal);
        return run({ ...parsed, [sessionArgument(args)]: session });
      }
    },
  });
}

/** Returns the name under which a command takes a session. */
function sessionArgument(args: ArgsDef): string {
  return Object.keys(args).find((name) => args[name] === SESSION_ARGUMENT) ?? "session";
}

/** Opens the database for reading while `body` runs. */
export const reading = withDatabase(openForReading);

/** Opens the database for changes while `body` runs. It must exist, with the current schema. */
export const writing = withDatabase(openForWriting);

/**
 * Opens the database for changes and creates it if needed, so that a user can store data before a host's first
 * prompt.
 */
export async function making<T>(
  place: DatabasePlace,
  body: (driver: Driver) => T | Promise<T>,
): Promise<T> {
  // A file that --db names must exist: a mistyped name creates no second database.
  if (place.chosenBy !== "--db" && !existsSync(place.path)) {
    const { openRuntimeDatabase } = await import("@session-runtime/opencode/storage/open");
    (await openRuntimeDatabase({ path: place.path, schema })).database.close();
  }
  return writing(place, body);
}

function withDatabase(open: typeof openForReading) {
  return async <T>({ path }: DatabasePlace, body: (driver: Driver) => T | Promise<T>) => {
    if (!existsSync(path)) throw missingDatabase(path);
    return withConnection(open(path, schema), body);
  };
}
