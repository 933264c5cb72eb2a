// What can be found out about the database.
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { findDatabase } from "../../database/place.ts";
import type { Environment } from "../../host/places.ts";
import { runProgram } from "../../host/run-program.ts";

/** What can be told of the runtime's database. */
export type DatabaseFacts =
  | { readonly kind: "absent"; readonly path: string }
  | {
      readonly kind: "present";
      readonly path: string;
      readonly sizeBytes: number;
      /** What others may do with it and with its folder. */
      readonly fileMode: number;
      readonly folderMode: number;
      readonly soundness: Soundness;
    };

/** `sound`, or the code of what is wrong, in the storage's words. */
export interface Soundness {
  readonly state: string;
  readonly reason: string;
}

/** A whole check reads every page: of a large file on a slow disk that takes its time. */
const CHECK_TIMEOUT_MS = 300_000;

export async function databaseFacts(env: Environment): Promise<DatabaseFacts> {
  const { path } = await findDatabase(undefined, env);
  const file = statSync(path, { throwIfNoEntry: false });
  if (file === undefined) return { kind: "absent", path };
  return {
    kind: "present",
    path,
    sizeBytes: file.size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0),
    fileMode: file.mode & 0o777,
    folderMode: statSync(dirname(path)).mode & 0o777,
    soundness: await askSoundness(path, env),
  };
}

/** In a process of its own: where this Node has no SQLite, that one finds one that has. */
async function askSoundness(path: string, env: Environment): Promise<Soundness> {
  const words = [process.argv[1] ?? "", "check-database", "--json", "--db", path];
  const settings = { cwd: process.cwd(), env, timeoutMs: CHECK_TIMEOUT_MS };
  const { out, err } = await runProgram(process.execPath, words, settings);
  return readSoundness(out, err);
}

function readSoundness(out: string, err: string): Soundness {
  if (!out.trimStart().startsWith("{")) return { state: "unknown", reason: err.trim() };
  const answer: unknown = JSON.parse(out);
  const { error, state, reason } = objectOf(answer);
  if (error === undefined) return { state: String(state), reason: String(reason) };
  const { code, message, advice } = objectOf(error);
  return { state: String(code), reason: `${message} ${advice}` };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}
