// One host with a feature that has a job, and looks at what jobs leave where.
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../../plugin/test/eventually.ts";
import type { Host } from "../src/host/host.ts";
import type { JsonObject } from "../src/json.ts";
import type { CallRecord } from "../src/provider/record.ts";
import type { MockProvider } from "../src/provider/server.ts";
import { OURS, type Talk } from "./conformance/stage.ts";
import { noteTexts, openReader, userTexts } from "./inbox-stage.ts";

/** A host and its provider, as both kinds of stage have them. */
export interface Place {
  readonly host: Host;
  readonly provider: MockProvider;
}

export const CLOCK = join(mkdtempSync(join(tmpdir(), "session-runtime-jobs-")), "clock");
let aheadMs = 0;
setClock(0);

/** A host with the feature, and these settings of jobs beside the model. */
export function settingsWith(jobs: JsonObject) {
  return {
    plugin: [[OURS, { jobs: { model: "anthropic/claude-second", ...jobs } }]],
    env: {
      SESSION_RUNTIME_TEST: "1",
      SESSION_RUNTIME_TEST_FEATURE: join(import.meta.dir, "../fixtures/features/job.ts"),
      SESSION_RUNTIME_TEST_CLOCK: CLOCK,
    },
  } as const;
}

/** How far the plugin's clock is ahead. */
export function setClock(offsetMs: number): void {
  aheadMs = offsetMs;
  writeFileSync(CLOCK, String(offsetMs));
}

/** By so much the plugin's clock goes on; an hour is past every wait and pause of jobs. */
export function passHours(hours: number): void {
  setClock(aheadMs + hours * 3_600_000);
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
  const nowMs = Date.now() + aheadMs;
  return write(place, (database) => {
    const row = database
      .query<{ id: number }, (string | number | null)[]>(
        `INSERT INTO job (kind, board, session_id, key, urgency, state, due_at_ms, created_at_ms,
           input)
         VALUES ('test-word', ?, ?, ?, 'command', 'due', ?, ?, ?) RETURNING id`,
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

export function waitingProposals({ host }: Place, sessionId: string): number {
  const database = openReader(host.home.database);
  try {
    const sql = "SELECT count(*) AS waiting FROM proposal WHERE session_id = ?";
    return Number(database.query<{ waiting: number }, [string]>(sql).get(sessionId)?.waiting);
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
  return provider.requests.filter(({ kind }) => kind === "job");
}

/** I27: nothing of a job's session is left in the host's database or files, nor in ours. */
export async function expectNothingLeft(
  place: Place,
  passedOver: ReadonlySet<string> = new Set(),
): Promise<void> {
  const children = [...new Set(jobCalls(place).map(({ session }) => session))];
  const needles = [...children.filter((id) => !passedOver.has(id)), "Session Runtime job"];
  const isLeft = (text: string) =>
    needles.some((needle) => text.includes(needle)) &&
    ![...passedOver].some((id) => text.includes(id));
  const left = () => [
    ...rowsNaming(join(place.host.home.data, "opencode/opencode.db"), isLeft),
    ...rowsNaming(place.host.home.database, isLeft),
    ...filesNaming(place.host.home.data, isLeft),
  ];
  await eventually(
    () => `nothing is left of ${children.join(", ")}: ${left().join("; ").slice(0, 2_000)}`,
    () => left().length === 0,
  );
}

/**
 * Sessions that a host was killed in the middle of deleting: their rows are gone, and of its log of
 * events it has not removed those that end with the deletion. It has no call that would.
 */
export function halfDeleted({ host }: Place): ReadonlySet<string> {
  const database = openReader(join(host.home.data, "opencode/opencode.db"));
  try {
    const rows = database
      .query<{ id: string; type: string }, []>(
        `SELECT aggregate_id AS id, type FROM event AS last
         WHERE aggregate_id NOT IN (SELECT id FROM session)
           AND seq = (SELECT max(seq) FROM event WHERE aggregate_id = last.aggregate_id)`,
      )
      .all();
    expect(rows.filter(({ type }) => type !== "session.deleted.1")).toEqual([]);
    return new Set(rows.map(({ id }) => id));
  } finally {
    database.close();
  }
}

/** I27: the user's session holds these prompts, and no note of ours. */
export async function expectOwnWords(talk: Talk, ...prompts: readonly string[]): Promise<void> {
  const messages = await talk.client.messages(talk.id);
  expect([...userTexts(messages)]).toEqual([...prompts]);
  expect([...noteTexts(messages)]).toEqual([]);
}

/** Rows of whichever table. */
function rowsNaming(path: string, isLeft: (text: string) => boolean): readonly string[] {
  const database = openReader(path);
  try {
    const tables = database
      .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all();
    return tables.flatMap(({ name }) =>
      database
        .query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`)
        .all()
        .map((row) => JSON.stringify(row))
        .filter(isLeft)
        .map((text) => `${name}: ${text}`),
    );
  } finally {
    database.close();
  }
}

function filesNaming(folder: string, isLeft: (text: string) => boolean): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isLeft);
}
