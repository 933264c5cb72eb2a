// Imports the sessions of another database.
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { withConnection } from "@session-runtime/opencode/storage/connect";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { openForReading } from "@session-runtime/opencode/storage/open-existing";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { parseSessionId } from "@session-runtime/opencode/storage/session-id";
import { readSessionRows } from "@session-runtime/opencode/storage/session-rows";
import { CliError, EXIT } from "../cli-error.ts";
import { refusal } from "../database/refusal.ts";
import { schema } from "../database/schema.ts";
import type { Progress } from "../terminal/progress.ts";
import { type PutResult, putSession } from "../transfer/put-session.ts";

/** Describes the sessions of another database. */
interface IncomingSession {
  readonly path: string;
  readonly sessions: readonly SessionId[];
  /** Counts the sessions whose id is invalid; they are left out. */
  readonly misnamed: number;
}

/** Returns the database that the name of a folder or file means; a data folder has it in `session-runtime`. */
export function databaseIn(name: string): string {
  const path = resolve(name);
  if (!existsSync(path)) throw noDatabaseIn(path);
  if (!statSync(path).isDirectory()) return path;
  const found = [join(path, "runtime.db"), join(path, "session-runtime", "runtime.db")].find(
    (candidate) => existsSync(candidate),
  );
  if (found === undefined) throw noDatabaseIn(path);
  return found;
}

function noDatabaseIn(path: string): CliError {
  return new CliError(
    "source-missing",
    `There is no database of Session Runtime at ${path}.`,
    "Name the folder that holds runtime.db, or a data folder with session-runtime/runtime.db.",
    EXIT.missing,
  );
}

export function readIncoming(path: string): Promise<IncomingSession> {
  return readingSource(path, (driver) => {
    const ids = driver
      .all("SELECT id FROM session ORDER BY created_at_ms, id")
      .map(({ id }) => parseSessionId(String(id)));
    const sessions = ids.filter((id) => id !== null);
    return { path, sessions, misnamed: ids.length - sessions.length };
  });
}

/** Reads the other database. @throws CliError that names it, where it has another schema or can't be read */
async function readingSource<T>(path: string, body: (driver: Driver) => T): Promise<T> {
  try {
    return await withConnection(openForReading(path, schema), body);
  } catch (error) {
    throw error instanceof StorageError ? refusal(error, path) : error;
  }
}

export interface ImportedSession {
  readonly sessionId: SessionId;
  readonly result: PutResult;
}

/** Imports the sessions, one transaction each; those that are here already stay as they are. */
export async function bringIn(
  driver: Driver,
  { path, sessions }: IncomingSession,
  progress: Progress,
): Promise<readonly ImportedSession[]> {
  const brought: ImportedSession[] = [];
  for (const [index, sessionId] of sessions.entries()) {
    progress.step(`Session ${index + 1} of ${sessions.length}`);
    const rows = await readingSource(path, (source) => readSessionRows(source, schema, sessionId));
    const request = { sessionId, rows, whenThere: "keep" } as const;
    brought.push({ sessionId, result: putSession(driver, request) });
  }
  return brought;
}
