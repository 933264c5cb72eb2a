// Ten thousand turns at the level of the stores.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RuntimeDatabase } from "@session-runtime/opencode/storage/database";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { listSessionPlaces } from "@session-runtime/opencode/storage/session-list";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { median, ms, quantile, us } from "./figures.ts";
import { schema } from "./schema.ts";
import type { Section } from "./section.ts";
import { BENCH_SESSION, epochCommit, outcome, turnRecord, updateCommit } from "./store-records.ts";

const TURNS = 10_000;
/** An edit of the instructions every so many turns. */
const TURNS_PER_UPDATE = 20;
/** The share of samples at the beginning and at the end that are held against each other. */
const SPAN = 0.1;

const COLUMNS: readonly Column[] = [
  { title: "operation", align: "left" },
  { title: "first tenth, p50", align: "right" },
  { title: "last tenth, p50", align: "right" },
  { title: "all, p99", align: "right" },
];

/** Ten thousand turns of one session in a database of its own, at the level of the stores. */
export async function measureStores(progress: Progress): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  try {
    const path = join(folder, "runtime.db");
    const { database } = await openRuntimeDatabase({ schema, path });
    const timings = fill(database, progress);
    database.close();
    const bytes = statSync(path).size;
    const reopened = (await openRuntimeDatabase({ schema, path })).database;
    const reads = readTimes(reopened);
    reopened.close();
    return {
      name: "store",
      title: "Storage after 10,000 turns",
      body: [
        markdownTable(
          COLUMNS,
          [...timings].map(([name, samples]) => row(name, samples)),
        ),
        [
          `- ${Math.round(bytes / TURNS)} bytes of database per turn, ${(bytes / 1e6).toFixed(1)} MB in all, with an update every ${TURNS_PER_UPDATE} turns.`,
          ...reads.map(([name, took]) => `- ${name}: ${ms(took)}`),
        ].join("\n"),
        "These are one session's rows. Each write is its own transaction, as in the host (WAL, synchronous NORMAL); nothing is left out as warm-up. A commit that fills the write-ahead log also copies it back: that is the p99.",
      ].join("\n\n"),
      verdicts: [],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Timings = ReadonlyMap<string, readonly number[]>;

function fill(database: RuntimeDatabase, progress: Progress): Timings {
  const timings = new Map<string, number[]>();
  const time = (name: string, work: () => unknown) => {
    const samples = timings.get(name) ?? [];
    timings.set(name, samples);
    samples.push(timed(work).tookMs);
  };
  database.ledger.commit(epochCommit());
  let seq = 1;
  for (let turn = 1; turn <= TURNS; turn += 1) {
    time("ask whether another process has written", () => database.foreignVersion());
    if (turn % TURNS_PER_UPDATE === 0) {
      const commit = updateCommit(seq);
      seq += 1;
      time("commit an update (before the send)", () => database.ledger.commit(commit));
    }
    time("append a turn (after the send)", () => database.turns.append(turnRecord(turn)));
    time("settle its usage (after the answer)", () =>
      database.turns.settle(BENCH_SESSION, outcome(turn)),
    );
    time("read the newest turn", () => database.turns.recent(BENCH_SESSION, 1));
    if (turn % (TURNS / 10) === 0) {
      progress.update(`store ${gauge(turn, TURNS)}`, `store ${turn}/${TURNS} turns`);
    }
  }
  return timings;
}

function row(name: string, samples: readonly number[]): readonly string[] {
  const span = Math.ceil(samples.length * SPAN);
  return [
    name,
    us(median(samples.slice(0, span))),
    us(median(samples.slice(-span))),
    us(quantile(samples, 0.99)),
  ];
}

/** What a session costs to take up again after a restart, and to remove. */
function readTimes(database: RuntimeDatabase): readonly (readonly [string, number])[] {
  return [
    ["Load the session's ledger", timed(() => database.ledger.load(BENCH_SESSION)).tookMs],
    [
      "All message ids that it sent",
      timed(() => database.turns.sentMessageIds(BENCH_SESSION, 1)).tookMs,
    ],
    [
      "List the sessions",
      timed(() => database.store((driver) => listSessionPlaces(driver))).tookMs,
    ],
    [
      "Remove the session with all its rows",
      timed(() => database.sessions.remove(BENCH_SESSION)).tookMs,
    ],
  ];
}

function timed<Result>(work: () => Result): { readonly result: Result; readonly tookMs: number } {
  const startedAt = performance.now();
  const result = work();
  return { result, tookMs: performance.now() - startedAt };
}
