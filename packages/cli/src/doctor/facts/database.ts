// Collects facts about the runtime's database.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { parseFields, toFields } from "@session-runtime/opencode/context/fields";
import type { OutboxState } from "@session-runtime/opencode/features/team/section";
import { type DatabasePlace, findDatabase } from "../../database/place.ts";
import type { Environment } from "../../host/places.ts";
import { runProgram } from "../../host/run-program.ts";
import { systemReason } from "../../system-error.ts";
import { type BadIndex, badIndex } from "./search-index.ts";
import { tryWriting, type WriteTest } from "./write-test.ts";

export interface DatabaseFacts {
  readonly path: string;
  readonly chosenBy: DatabasePlace["chosenBy"];
  readonly write: WriteTest;
  /** The permission bits of the database's folder; null where the folder does not exist yet. */
  readonly folderMode: number | null;
  /** The database's file; null where it does not exist yet. */
  readonly file: DatabaseFile | null;
  /** The search index's fault; null where it has none. */
  readonly badIndex: BadIndex | null;
}

export interface DatabaseFile {
  readonly sizeBytes: number;
  readonly mode: number;
  readonly soundness: Soundness;
  /** The entries that wait for the team's store; null where they can't be read. */
  readonly outbox: OutboxState | null;
  /** Counts the entries that hold an apparent secret, by kind. */
  readonly secrets: ReadonlyMap<string, number>;
  /** Counts the sessions by host; null where they can't be read. */
  readonly sessions: Readonly<Record<"opencode" | "pi", number>> | null;
}

/** Holds `sound` or the storage's error code, with the reason. */
interface Soundness {
  readonly state: string;
  readonly reason: string;
}

type DatabaseContents = Pick<DatabaseFile, "soundness" | "outbox" | "secrets" | "sessions"> & {
  /** The printed output of `check-database`; null where it did not finish. */
  readonly checked: string | null;
};

const UNREAD = {
  outbox: null,
  secrets: new Map<string, number>(),
  sessions: null,
  checked: null,
};
const EMPTY: DatabaseContents = { ...UNREAD, soundness: { state: "empty", reason: "" } };

/** Limits a whole check, which reads every page and takes long for a large file on a slow disk. */
const CHECK_TIMEOUT_MS = 15_000;

export async function databaseFacts(env: Environment): Promise<DatabaseFacts> {
  const { path, chosenBy } = await findDatabase(undefined, env);
  const place = { path, chosenBy, write: tryWriting(path), folderMode: readMode(dirname(path)) };
  const mode = readMode(path);
  if (mode === null) return { ...place, file: null, badIndex: badIndex(path, null) };
  const sizes = [path, `${path}-wal`].map((file) => fileSize(file));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  // SQLite takes an empty file for a database without tables.
  const { checked, ...inside } = sizeBytes === 0 ? EMPTY : await lookInside(path, env);
  const file = { sizeBytes, mode, ...inside };
  return { ...place, file, badIndex: badIndex(path, checked) };
}

function readMode(path: string): number | null {
  try {
    return statSync(path).mode & 0o7777;
  } catch (error) {
    if (systemReason(error) === null) throw error;
    return null;
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Checks the database in a separate process, which finds a SQLite where this Node has none. */
async function lookInside(path: string, env: Environment): Promise<DatabaseContents> {
  const words = [process.argv[1] ?? "", "check-database", "--json", "--db", path];
  const deadline = AbortSignal.timeout(CHECK_TIMEOUT_MS);
  const settings = { cwd: process.cwd(), env, deadline };
  const { end, out, err } = await runProgram(process.execPath, words, settings);
  if (end === "out-of-time") {
    const reason = `checking it takes over ${CHECK_TIMEOUT_MS / 1_000} s`;
    return { ...UNREAD, soundness: { state: "not-finished", reason } };
  }
  const soundness = readSoundness(out, err);
  return {
    soundness,
    outbox: readOutbox(out),
    secrets: readSecrets(out),
    sessions: readSessions(out),
    checked: out,
  };
}

/** Reads the outbox from the output of our `check-database`; null where it has none. */
function readOutbox(out: string): OutboxState | null {
  const { waiting, missedForMs, problem } = toFields(parseFields(out)?.outbox);
  if (typeof waiting !== "number" || typeof missedForMs !== "number") return null;
  return { waiting, missedForMs, problem: typeof problem === "string" ? problem : null };
}

function readSecrets(out: string): ReadonlyMap<string, number> {
  const counts = Object.entries(toFields(parseFields(out)?.secrets));
  return new Map(counts.map(([kind, count]) => [kind, Number(count)]));
}

function readSessions(out: string): DatabaseFile["sessions"] {
  const { opencode, pi } = toFields(parseFields(out)?.sessions);
  return typeof opencode === "number" && typeof pi === "number" ? { opencode, pi } : null;
}

function readSoundness(out: string, err: string): Soundness {
  const answer = parseFields(out);
  if (answer === null) {
    return { state: "unknown", reason: err.trim() || "The check ended without a result." };
  }
  const { error, state, reason } = answer;
  if (error === undefined) return { state: String(state), reason: String(reason) };
  const { code, message, advice } = toFields(error);
  // Its message about damage repeats the finding and gives no cause.
  if (code === "database-corrupt") return { state: code, reason: "" };
  // Its advice already explains the whole problem.
  if (code === "database-unopenable") return { state: code, reason: String(advice) };
  return { state: String(code), reason: `${message} ${advice}` };
}
