// A session on the real host whose history is to be written, and what was written of it.
import { expect } from "bun:test";
import { eventually } from "../../plugin/test/eventually.ts";
import type { JsonObject } from "../src/json.ts";
import type { CallRecord } from "../src/provider/record.ts";
import { call, say } from "../src/provider/reply.ts";
import { history, OURS, type Stage, type Talk } from "./conformance/stage.ts";
import { openReader } from "./inbox-stage.ts";
import { CLOCK, jobCalls, type Place } from "./jobs-stage.ts";

/** Small sizes, so that a few turns are a batch. */
export function historianSettings(historian: JsonObject = {}) {
  const ours = {
    history: { rewrite: "pressure", keepTokens: 1_000 },
    historian: { enabled: true, batchTokens: 4_000, leastTokens: 0, ...historian },
    jobs: { model: "anthropic/claude-second" },
    memory: { enabled: true },
  };
  return {
    plugin: [[OURS, ours]],
    env: { SESSION_RUNTIME_TEST: "1", SESSION_RUNTIME_TEST_CLOCK: CLOCK },
  } as const;
}

/** Turns of work that are a batch, with the tail behind them. */
export const BATCH_TURNS = 4;

/**
 * A turn with a command of about 1,500 tokens of output.
 * @param said what the user says besides
 */
export async function work(
  stage: Stage,
  talk: Talk,
  name: string,
  said: readonly string[] = [],
): Promise<void> {
  const command = `seq -f 'part ${name}: line %g was checked and found right' 1 130`;
  stage.provider.script.queueFor(
    talk.id,
    call("bash", { command, description: name }),
    say(`Part ${name} is right.`),
  );
  await talk.say([`Check part ${name}`, ...said].join("\n\n"));
}

let talks = 0;

export interface HistorianRun extends Talk {
  /** What its user has said. */
  readonly prompts: readonly string[];
}

/**
 * With words of its own: a session of the same words would have its history already.
 * @param said what the user says in the first two turns, besides: they are in any batch
 */
export async function workedOn(
  stage: Stage,
  turns = BATCH_TURNS,
  said: readonly string[] = [],
): Promise<HistorianRun> {
  talks += 1;
  const names = Array.from({ length: turns }, (_, turn) => `${talks}.${turn + 1}`);
  const talk = await stage.talk();
  for (const [turn, name] of names.entries()) {
    const half = said.filter((_, at) => turn < 2 && at % 2 === turn);
    await work(stage, talk, name, half);
  }
  return { ...talk, prompts: names.map((name) => `Check part ${name}`) };
}

/** What the model was asked, in one text. */
export function asked(record: CallRecord): string {
  return history(record)
    .map(({ text }) => text)
    .join("\n");
}

/** The messages of a turn of `work`: the user's, the call, and the answer after it. */
const TURN_MESSAGES = 3;

/**
 * A segment per turn, as a good model writes them. A segment across turns can't stand for a fold that ends
 * between them, and how many turns are in a batch depends on the machine's speed.
 */
export function wellWritten(record: CallRecord, words = "Parts were checked"): string {
  const last = [...asked(record).matchAll(/<message id="m(\d+)"/g)].length;
  const segments = [];
  for (let from = 1; from <= last; from += TURN_MESSAGES) {
    const to = Math.min(from + TURN_MESSAGES - 1, last);
    segments.push(`<segment from="m${from}" to="m${to}" kind="research" importance="90">
<p1>${words}: m${from} to m${to}. All of them were found right.</p1><p2>${words}: m${from} to m${to}.</p2>
<p3>${words}: m${from}.</p3><p4>${words}</p4></segment>`);
  }
  return `<history>${segments.join("\n")}</history>`;
}

export interface HistorianJob {
  readonly id: number;
  readonly session_id: string;
  readonly state: string;
  readonly attempts: number;
  readonly error: string | null;
}

/** Of these sessions, oldest first. */
export function historianJobs(
  place: Place,
  ...sessionIds: readonly string[]
): readonly HistorianJob[] {
  return rows<HistorianJob>(
    place,
    "SELECT id, session_id, state, attempts, error FROM job WHERE kind = 'historian' ORDER BY id",
  ).filter((job) => sessionIds.includes(job.session_id));
}

interface SegmentRow {
  readonly session_id: string;
  readonly generation: number;
  readonly first_id: string;
  readonly place: number;
  readonly message_count: number;
}

export function segments(place: Place, sessionId: string): readonly SegmentRow[] {
  return rows<SegmentRow>(
    place,
    "SELECT * FROM written_segment ORDER BY session_id, generation, place",
  ).filter((row) => row.session_id === sessionId);
}

/** What the project's memory holds. */
export function memories(place: Place): readonly string[] {
  return rows<{ text: string }>(place, "SELECT text FROM memory").map(({ text }) => text);
}

function rows<Row>({ host }: Place, sql: string): readonly Row[] {
  const database = openReader(host.home.database);
  try {
    return database.query<Row, []>(sql).all();
  } finally {
    database.close();
  }
}

/** I27: of one generation no message is said by two segments. */
export function expectOnce(place: Place, sessionId: string): void {
  let end = 0;
  for (const row of segments(place, sessionId)) {
    expect(row.place).toBeGreaterThanOrEqual(end);
    end = row.place + row.message_count;
  }
}

/** A call of the historian is stopped after two minutes; each of its two calls has as long. */
const BATCH_MS = 300_000;

/** Until the session's newest batch is in one of these states. */
export async function batchIs(
  place: Place,
  sessionId: string,
  ...states: readonly string[]
): Promise<HistorianJob> {
  const jobs = () => historianJobs(place, sessionId);
  await eventually(
    () => `the batch is ${states.join(" or ")}: ${JSON.stringify(jobs())}`,
    () => states.includes(jobs().at(-1)?.state ?? "none"),
    BATCH_MS,
  );
  const job = jobs().at(-1);
  if (!job) throw new Error("There is no batch");
  return job;
}

export { jobCalls };
