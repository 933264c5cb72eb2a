// Memory: what is kept, found and sent of thousands of memories, vectors and commits.
import { gauge, type Progress } from "../../terminal/progress.ts";
import { type Column, markdownTable } from "../../terminal/table.ts";
import { median, ms, quantile, us } from "../figures.ts";
import { atMost, type Section } from "../section.ts";
import { COMMITS, type CommitTimes, measureCommits } from "./commits.ts";
import { type MemoryTimes, measureMemories } from "./memories.ts";
import { measureMemoryPasses } from "./passes.ts";
import { measurePostgres, postgresLine } from "./postgres.ts";
import { STORES } from "./stores.ts";
import { DIMENSIONS, measureVectors, VECTORS, type VectorTimes } from "./vectors.ts";

const COUNTS = [5_000, 10_000] as const;
const ON_HOST = COUNTS[0];

export async function measureMemory(progress: Progress): Promise<Section> {
  const parts = STORES.length * COUNTS.length + 6;
  let done = 0;
  const reportProgress = (what: string) => {
    progress.update(`memory ${gauge(done, parts)} ${what}`, `memory ${what}`);
    done += 1;
  };
  const memories: MemoryTimes[] = [];
  for (const store of STORES) {
    for (const count of COUNTS) {
      reportProgress(`${count} memories in ${store.name}`);
      memories.push(await measureMemories(store, count));
    }
  }
  reportProgress(`${ON_HOST} memories in PostgreSQL`);
  const postgres = await measurePostgres(ON_HOST);
  reportProgress(`${VECTORS} vectors`);
  const vectors = await measureVectors();
  reportProgress(`${COMMITS} commits`);
  const commits = await measureCommits();
  reportProgress("passes without memory");
  const without = await measureMemoryPasses({ kind: "off" });
  reportProgress(`passes with ${ON_HOST} memories`);
  const known = await measureMemoryPasses({ kind: "known", memories: ON_HOST });
  reportProgress(`passes after ${ON_HOST} memories were announced`);
  const announced = await measureMemoryPasses({ kind: "announced", memories: ON_HOST });
  const passes = { without, known, announced };
  return buildSection({ memories, postgres, vectors, commits, passes });
}

interface MemoryFigures {
  readonly memories: readonly MemoryTimes[];
  readonly postgres: Awaited<ReturnType<typeof measurePostgres>>;
  readonly vectors: VectorTimes;
  readonly commits: CommitTimes;
  readonly passes: Readonly<Record<"without" | "known" | "announced", readonly number[]>>;
}

const STORE_COLUMNS: readonly Column[] = [
  { title: "store", align: "left" },
  { title: "memories", align: "right" },
  { title: "write one", align: "right" },
  { title: "search, p50", align: "right" },
  { title: "search, p99", align: "right" },
  { title: "read after a change, p50", align: "right" },
  { title: "per call, unchanged", align: "right" },
];

const COLUMNS: readonly Column[] = [
  { title: "", align: "left" },
  { title: "p50", align: "right" },
  { title: "p99", align: "right" },
];

function buildSection({ memories, postgres, vectors, commits, passes }: MemoryFigures): Section {
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  return {
    name: "memory",
    title: "Memories, vectors and commits",
    body: [
      markdownTable(
        STORE_COLUMNS,
        memories.map(({ store, memories: count, writeMs, searchMs, readMs, observeMs }) => [
          ...[store, count.toLocaleString("en-US"), us(writeMs)],
          ...[ms(median(searchMs)), ms(quantile(searchMs, 0.99))],
          ...[ms(median(readMs)), us(observeMs)],
        ]),
      ),
      markdownTable(COLUMNS, [
        row(`find the nearest of ${VECTORS.toLocaleString("en-US")} vectors`, vectors.scanMs),
        row(`search ${COMMITS.toLocaleString("en-US")} commits`, commits.searchMs),
        row("a pass at 300 messages, without memory", passes.without),
        row(
          `the same with ${ON_HOST.toLocaleString("en-US")} memories in its Baseline`,
          passes.known,
        ),
        row("the same where they came during the session, by an update", passes.announced),
      ]),
      [
        postgresLine(postgres),
        `- ${VECTORS.toLocaleString("en-US")} vectors of ${DIMENSIONS.toLocaleString("en-US")} numbers are ${megabytes(vectors.fileBytes)} on disk; the first look-up copies them into memory in ${ms(vectors.copyMs)}, 2,000 at a time.`,
        `- ${COMMITS.toLocaleString("en-US")} commits, made by \`git fast-import\`, are indexed in ${(commits.indexMs / 1_000).toFixed(1)} s, with a pause after each hundred; after one more commit it takes ${ms(commits.nextMs)}. The index has ${megabytes(commits.fileBytes)}.`,
      ].join("\n"),
      'Searches are of the finder that `ctx_search` asks, by words. "Per call" is what the source adds to a call where no memory has changed. Passes are measured on the real host by the clock, as in `pass`, and so are the indexing of commits and PostgreSQL; the others in a process of their own, in processor time.',
    ].join("\n\n"),
    verdicts: [
      ...memories.flatMap(({ store, memories: count, searchMs, observeMs }) => [
        within(`${store}: search ${count} memories (p50)`, median(searchMs), 20),
        within(`${store}: a call with ${count} memories, unchanged`, observeMs, 0.1),
      ]),
      within("scan 50,000 vectors of 1,024 (p50)", median(vectors.scanMs), 40),
      within("index 100,000 commits", commits.indexMs, 60_000),
      within(
        "a pass with memories in the Baseline, over one without (p50)",
        median(passes.known) - median(passes.without),
        0.2,
      ),
      within(
        "a pass after memories came by an update, over one without (p50)",
        median(passes.announced) - median(passes.without),
        0.2,
      ),
    ],
  };
}

function within(what: string, valueMs: number, limitMs: number) {
  return atMost(`${what} in at most ${limitMs} ms`, valueMs, limitMs, ms(valueMs));
}

function row(name: string, samples: readonly number[]): readonly string[] {
  return [name, ms(median(samples)), ms(quantile(samples, 0.99))];
}
