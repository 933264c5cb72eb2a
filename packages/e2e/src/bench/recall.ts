// Recall: a hundred thousand passages indexed, and searched.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Indexer } from "@session-runtime/opencode/features/search/indexer";
import { parseTerms } from "@session-runtime/opencode/features/search/query-words";
import { search } from "@session-runtime/opencode/features/search/search";
import { IndexFile } from "@session-runtime/opencode/search-index/file";
import { loadRuntimeDriver } from "@session-runtime/opencode/storage/connect";
import type { ProjectId, SessionId } from "@session-runtime/opencode/storage/records";
import { gauge, type Progress } from "../terminal/progress.ts";
import { type Column, markdownTable } from "../terminal/table.ts";
import { median, ms, quantile } from "./figures.ts";
import { chance, piecesOfText, queryFor } from "./recall-corpus.ts";
import { atMost, type Section } from "./section.ts";

const PROJECT = "project" as ProjectId;

const MESSAGES = 100_000;
const CHARS = 1_000;
const MESSAGES_PER_SESSION = 20_000;
const QUERIES = 500;
/** Pages of the file that the first queries read from the disk are there for the others. */
const WARM_UP = 20;

const COLUMNS: readonly Column[] = [
  { title: "", align: "left" },
  { title: "p50", align: "right" },
  { title: "p90", align: "right" },
  { title: "p99", align: "right" },
];

export async function measureRecall(progress: Progress): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const file = new IndexFile({
    path: join(folder, "runtime.recall.db"),
    openDriver: await loadRuntimeDriver(),
    notice: () => undefined,
    over: () => undefined,
  });
  try {
    const filled = fill(file, progress);
    file.close();
    const inSession = searched(file, filled.queries, "session");
    const inProject = searched(file, filled.queries, "project");
    const share = file.sizeBytes / filled.textBytes;
    return {
      name: "recall",
      title: "Recall in 100,000 messages",
      body: [
        markdownTable(COLUMNS, [
          row("index a message of 1 KB", filled.tookMs),
          row("search a session of 20,000 messages", inSession),
          row("search all 100,000", inProject),
        ]),
        `- ${(filled.textBytes / 1e6).toFixed(0)} MB of text (this repository and its packages) in an index of ${(file.sizeBytes / 1e6).toFixed(0)} MB, ${share.toFixed(2)} times the text.`,
        `${QUERIES} queries of five kinds: some words of a message, an identifier, a piece of one, a question, and words that are nowhere. Each message is indexed by itself, in its own transaction; a merge of the index's segments is the p99.`,
      ].join("\n\n"),
      verdicts: [
        atMost("search at most 15 ms (p50)", median(inProject), 15, ms(median(inProject))),
        atMost(
          "search at most 60 ms (p99)",
          quantile(inProject, 0.99),
          60,
          ms(quantile(inProject, 0.99)),
        ),
        atMost(
          "indexing at most 3 ms a message (p50)",
          median(filled.tookMs),
          3,
          ms(median(filled.tookMs)),
        ),
        atMost("an index of at most 1.6 times the text", share, 1.6, share.toFixed(2)),
      ],
    };
  } finally {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface FilledIndex {
  readonly tookMs: readonly number[];
  readonly textBytes: number;
  readonly queries: readonly string[];
}

function fill(file: IndexFile, progress: Progress): FilledIndex {
  const slices: (() => void)[] = [];
  const indexer = new Indexer({
    file,
    directory: "/project",
    later: (work) => slices.push(work),
    nowMs: () => performance.now(),
    failed: (error) => {
      throw error;
    },
  });
  const random = chance(7);
  const tookMs: number[] = [];
  const queries: string[] = [];
  let textBytes = 0;
  for (const text of piecesOfText(MESSAGES, CHARS)) {
    const number = tookMs.length;
    textBytes += Buffer.byteLength(text);
    if (random() < QUERIES / MESSAGES) queries.push(queryFor(text, queries.length, random));
    const sessionId = `ses_${Math.floor(number / MESSAGES_PER_SESSION)}` as SessionId;
    const startedAt = performance.now();
    const messages = [message(sessionId, number, text)];
    indexer.enqueue({ scope: { sessionId, project: PROJECT }, messages, extent: "some" });
    for (let work = slices.shift(); work; work = slices.shift()) work();
    tookMs.push(performance.now() - startedAt);
    if (number % 5_000 === 0) {
      progress.update(`recall ${gauge(number, MESSAGES)}`, `recall ${number}/${MESSAGES} messages`);
    }
  }
  return { tookMs, textBytes, queries };
}

function message(sessionID: string, number: number, output: string) {
  const id = `msg_${number.toString(16).padStart(12, "0")}Qx8Zk3mB9rT1vL`;
  const state = {
    status: "completed",
    input: { filePath: `/project/src/file-${number}.ts` },
    output,
    time: { start: number, end: number },
  } as const;
  const place = { id: `prt_${id.slice(4)}`, messageID: id, sessionID };
  const part = { ...place, type: "tool", tool: "read", callID: `toolu_${number}`, state };
  const time = { created: 1_750_000_000_000 + number };
  return { info: { id, sessionID, role: "assistant", time } as const, parts: [part] };
}

function searched(
  file: IndexFile,
  queries: readonly string[],
  within: "session" | "project",
): readonly number[] {
  const scope = { sessionId: "ses_2" as SessionId, project: PROJECT };
  return file.use((store) => {
    const range = store.findRange(scope, within);
    const asked = [...queries.slice(0, WARM_UP), ...queries];
    const tookMs = asked.map((query) => {
      const startedAt = performance.now();
      search(store.driver, range, parseTerms(query), () => false);
      return performance.now() - startedAt;
    });
    return tookMs.slice(WARM_UP);
  });
}

function row(name: string, samples: readonly number[]): readonly string[] {
  return [name, ...[0.5, 0.9, 0.99].map((q) => ms(quantile(samples, q)))];
}
