// What can be said of the runtime's database.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { fieldsIn, toFields } from "../../../../plugin/src/context/fields.ts";
import type { Outbox } from "../../../../plugin/src/features/team/section.ts";
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
  /** Permission bits of its folder; null where there is none yet. */
  readonly folderMode: number | null;
  /** Null where there is none yet. */
  readonly file: DatabaseFile | null;
  /** Null where nothing is wrong with it. */
  readonly badIndex: BadIndex | null;
}

export interface DatabaseFile {
  readonly sizeBytes: number;
  readonly mode: number;
  readonly soundness: Soundness;
  /** Null where it can't be read. */
  readonly outbox: Outbox | null;
  /** How many entries of each kind hold what looks like a secret. */
  readonly secrets: ReadonlyMap<string, number>;
  /** How many sessions are of which host; null where it can't be read. */
  readonly sessions: Readonly<Record<"opencode" | "pi", number>> | null;
}

/** `sound`, or the code of what is wrong, in the storage's words. */
interface Soundness {
  readonly state: string;
  readonly reason: string;
}

type DatabaseContents = Pick<DatabaseFile, "soundness" | "outbox" | "secrets" | "sessions"> & {
  /** As it was printed; null where the check did not run to its end. */
  readonly checked: string | null;
};

const UNREAD = {
  outbox: null,
  secrets: new Map<string, number>(),
  sessions: null,
  checked: null,
};
const EMPTY: DatabaseContents = { ...UNREAD, soundness: { state: "empty", reason: "" } };

/** A whole check reads every page: of a large file on a slow disk that takes long. */
const CHECK_TIMEOUT_MS = 15_000;

export async function databaseFacts(env: Environment): Promise<DatabaseFacts> {
  const { path, chosenBy } = await findDatabase(undefined, env);
  const place = { path, chosenBy, write: tryWriting(path), folderMode: readMode(dirname(path)) };
  const mode = readMode(path);
  if (mode === null) return { ...place, file: null, badIndex: badIndex(path, null) };
  const sizes = [path, `${path}-wal`].map((file) => fileSize(file));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  // Made and not begun yet: SQLite takes it for a database without tables.
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

/** In a process of its own: where this Node has no SQLite, that one finds one that has. */
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

/** Of what our own command has printed. */
function readOutbox(out: string): Outbox | null {
  const { waiting, missedForMs, problem } = toFields(fieldsIn(out)?.outbox);
  if (typeof waiting !== "number" || typeof missedForMs !== "number") return null;
  return { waiting, missedForMs, problem: typeof problem === "string" ? problem : null };
}

function readSecrets(out: string): ReadonlyMap<string, number> {
  const counts = Object.entries(toFields(fieldsIn(out)?.secrets));
  return new Map(counts.map(([kind, count]) => [kind, Number(count)]));
}

function readSessions(out: string): DatabaseFile["sessions"] {
  const { opencode, pi } = toFields(fieldsIn(out)?.sessions);
  return typeof opencode === "number" && typeof pi === "number" ? { opencode, pi } : null;
}

function readSoundness(out: string, err: string): Soundness {
  const answer = fieldsIn(out);
  if (answer === null) {
    return { state: "unknown", reason: err.trim() || "The check ended without a result." };
  }
  const { error, state, reason } = answer;
  if (error === undefined) return { state: String(state), reason: String(reason) };
  const { code, message, advice } = toFields(error);
  // What it says of damage is what is found, and no cause of it.
  if (code === "database-corrupt") return { state: code, reason: "" };
  // Its advice says all of it.
  if (code === "database-unopenable") return { state: code, reason: String(advice) };
  return { state: String(code), reason: `${message} ${advice}` };
}
