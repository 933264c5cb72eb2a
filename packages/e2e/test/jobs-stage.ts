// One host with a feature that has a job, and looks at what jobs leave where.
import { Database } from "bun:sqlite";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SYSTEM } from "../fixtures/features/job.ts";
import type { Host } from "../src/host/host.ts";
import type { CallRecord } from "../src/provider/record.ts";
import type { MockProvider } from "../src/provider/server.ts";
import { OURS } from "./conformance/stage.ts";
import { eventually, openReader } from "./inbox-stage.ts";

/** A host and its provider, as both kinds of stage have them. */
export interface Place {
  readonly host: Host;
  readonly provider: MockProvider;
}

export const CLOCK = join(mkdtempSync(join(tmpdir(), "session-runtime-jobs-")), "clock");
setClock(0);

export const SETTINGS = {
  plugin: [[OURS, { jobs: { model: "anthropic/claude-second" } }]],
  env: {
    SESSION_RUNTIME_TEST: "1",
    SESSION_RUNTIME_TEST_FEATURE: join(import.meta.dir, "../fixtures/features/job.ts"),
    SESSION_RUNTIME_TEST_CLOCK: CLOCK,
  },
} as const;

/** How far the plugin's clock is ahead. */
export function setClock(offsetMs: number): void {
  writeFileSync(CLOCK, String(offsetMs));
}

export interface JobRow {
  readonly id: number;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
  readonly model: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly child_session_id: string | null;
}

function write<Result>({ host }: Place, work: (database: Database) => Result): Result {
  const database = new Database(host.home.database);
  database.run("PRAGMA busy_timeout = 10000");
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** As a command line would: the row, and nothing said to the host. */
export function addJob(
  place: Place,
  sessionId: string | null,
  question: string,
  timeoutMs = 20_000,
): number {
  const nowMs = Date.now();
  return write(place, (database) => {
    const row = database
      .query<{ id: number }, (string | number | null)[]>(
        `INSERT INTO job (kind, project, session_id, key, urgency, state, due_at_ms, created_at_ms,
           input, input_digest)
         VALUES ('test-word', ?, ?, ?, 'command', 'due', ?, ?, ?, '') RETURNING id`,
      )
      .get(
        ...[place.host.project, sessionId, crypto.randomUUID(), nowMs, nowMs],
        JSON.stringify({ question, timeoutMs }),
      );
    return Number(row?.id);
  });
}

export function forgetJobs(place: Place): void {
  write(place, (database) => database.run("DELETE FROM job"));
}

export function jobRow({ host }: Place, id: number): JobRow | null {
  const database = openReader(host.home.database);
  try {
    return database.query<JobRow, [number]>("SELECT * FROM job WHERE id = ?").get(id);
  } finally {
    database.close();
  }
}

/** Until the job is in one of these states, and its child is gone. */
export async function settledAs(place: Place, id: number, ...states: string[]): Promise<JobRow> {
  const row = () => jobRow(place, id);
  await eventually(
    () => `job ${id} is ${states.join(" or ")}: ${JSON.stringify(row())}`,
    () => states.includes(row()?.state ?? "gone") && row()?.child_session_id === null,
  );
  const found = row();
  if (!found) throw new Error("The job is gone");
  return found;
}

/** The calls of jobs at the provider. */
export function jobCalls({ provider }: Place): readonly CallRecord[] {
  return provider.calls.filter(({ system }) => system.startsWith(SYSTEM));
}

/** I27: nothing of a job's session is left in the host's database, nor in ours. */
export async function expectNothingLeft(place: Place): Promise<void> {
  const children = [...new Set(jobCalls(place).map(({ session }) => session))];
  const left = () => [...hostRows(place, children), ...ourRows(place, children)];
  await eventually(
    () => `nothing is left of ${children.join(", ")}: ${left().join("; ")}`,
    () => left().length === 0,
    10_000,
  );
}

/** Every text cell of the host's database that names one of these sessions, or a job. */
function hostRows({ host }: Place, ids: readonly string[]): readonly string[] {
  return rowsNaming(join(host.home.data, "opencode/opencode.db"), ids, "Session Runtime job");
}

function ourRows({ host }: Place, ids: readonly string[]): readonly string[] {
  return rowsNaming(host.home.database, ids, "Session Runtime job");
}

function rowsNaming(path: string, ids: readonly string[], title: string): readonly string[] {
  const database = openReader(path);
  const needles = [...ids, title];
  try {
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all();
    return tables.flatMap(({ name }) =>
      database
        .query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`)
        .all()
        .flatMap((row) => {
          const text = JSON.stringify(row);
          return needles.some((needle) => text.includes(needle)) ? [`${name}: ${text}`] : [];
        }),
    );
  } finally {
    database.close();
  }
}
