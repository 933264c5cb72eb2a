// Fifty thousand vectors: stored, copied into memory, and scanned.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Vector } from "@session-runtime/opencode/features/search/embedding-answer";
import { VectorCopy } from "@session-runtime/opencode/features/search/search-semantic";
import { findNearest, VectorStore } from "@session-runtime/opencode/features/search/vector-store";
import { IndexFile } from "@session-runtime/opencode/search-index/file";
import { loadRuntimeDriver } from "@session-runtime/opencode/storage/connect";
import type { ProjectId } from "@session-runtime/opencode/storage/records";
import { processorMs } from "../figures.ts";
import { chance } from "../recall-corpus.ts";

const PROJECT = "project" as ProjectId;

export interface VectorTimes {
  readonly scanMs: readonly number[];
  readonly copyMs: number;
  readonly fileBytes: number;
}

export const VECTORS = 50_000;
export const DIMENSIONS = 1_024;
const BATCH = 500;
const SCANS = 100;
const WARM_UP = 10;
const MODEL = "bench";

export async function measureVectors(): Promise<VectorTimes> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const file = new IndexFile({
    path: join(folder, "runtime.recall.db"),
    openDriver: await loadRuntimeDriver(),
    notice: () => undefined,
    over: () => undefined,
  });
  try {
    const random = chance(5);
    fill(file, random);
    const copy = new VectorCopy(file, () => new Promise((resolve) => void setTimeout(resolve, 0)));
    const extent = file.use((store) => new VectorStore(store).readExtent(PROJECT, MODEL));
    if (!extent) throw new Error("Nothing was stored");
    const startedAt = processorMs();
    const blocks = await copy.readBlocks(extent);
    const copyMs = processorMs() - startedAt;
    const scanMs: number[] = [];
    for (let scan = 0; scan < SCANS + WARM_UP; scan += 1) {
      const query = vector(random);
      const beganAt = processorMs();
      findNearest(await copy.readBlocks(extent), query, 24);
      scanMs.push(processorMs() - beganAt);
    }
    const held = blocks.reduce((sum, { items }) => sum + items.length, 0);
    if (held !== VECTORS) throw new Error(`${held} vectors were copied`);
    return { scanMs: scanMs.slice(WARM_UP), copyMs, fileBytes: file.sizeBytes };
  } finally {
    file.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(file: IndexFile, random: () => number): void {
  file.use((index) => {
    const store = new VectorStore(index);
    const extent = store.enter(PROJECT, "/project", MODEL);
    const listed = Array.from({ length: VECTORS }, (_, at) => ({ key: String(at), digest: "d" }));
    store.keep(PROJECT, "memory", listed);
    const due = store.listDue(PROJECT, "memory");
    for (let from = 0; from < VECTORS; from += BATCH) {
      const some = due.slice(from, from + BATCH);
      store.add(
        extent,
        MODEL,
        some.map((passage) => ({ passage, vector: vector(random) })),
      );
    }
  });
}

function vector(random: () => number): Vector {
  const numbers = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5);
  const length = Math.hypot(...numbers);
  return numbers.map((one) => one / length);
}
