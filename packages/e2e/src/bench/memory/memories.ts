// Thousands of memories: written, searched, and observed before each call.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSystemContext, observe } from "@session-runtime/opencode/context/system-context";
import { createMemoriesSource } from "@session-runtime/opencode/features/memory/listing";
import { createMemoryFinder } from "@session-runtime/opencode/features/memory/memory-finder";
import { ProjectMemory } from "@session-runtime/opencode/features/memory/project-memory";
import type { MemoryContent } from "@session-runtime/opencode/features/memory/record";
import type { MemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import { parseTerms } from "@session-runtime/opencode/features/search/query-words";
import type { Log } from "@session-runtime/opencode/log/log";
import { KnownProject } from "@session-runtime/opencode/project/known-project";
import type { Project, ProjectId } from "@session-runtime/opencode/project/project";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { processorMs } from "../figures.ts";
import { chance } from "../recall-corpus.ts";
import type { MeasuredStore } from "./stores.ts";

export interface MemoryTimes {
  readonly store: string;
  readonly memories: number;
  /** Of one memory. */
  readonly writeMs: number;
  /** Each look-up's, words alone. */
  readonly searchMs: readonly number[];
  /** Reading what a session begins with, after a change. */
  readonly readMs: readonly number[];
  /** What the source takes at a call where nothing has changed. */
  readonly observeMs: number;
}

export const PROJECT: Project = { id: "commit:1" as ProjectId, name: "shop", worktree: "/shop" };
const SES = "ses_1" as SessionId;
const WORDS =
  "gateway shop cart price order staging database queue worker cache token retry budget webhook invoice".split(
    " ",
  );
const SEARCHES = 300;
const WARM_UP = 20;
const CALLS = 2_000;
const CHANGES = 30;
const BATCH = 500;

export async function measureMemories(
  { name, open }: MeasuredStore,
  count: number,
): Promise<MemoryTimes> {
  const folder = mkdtempSync(join(tmpdir(), "session-runtime-bench-"));
  const { store, close } = await open(folder);
  try {
    await store.enter(PROJECT, 1);
    const startedAt = processorMs();
    for (let from = 0; from < count; from += BATCH)
      await writeMemories(store, from, Math.min(count - from, BATCH));
    const writeMs = (processorMs() - startedAt) / count;
    const memory = new ProjectMemory({
      project: new KnownProject(
        () => store,
        async () => PROJECT,
      ),
      store: () => store,
      ...{ budgetTokens: 1_200, log: NO_LOG, now: Date.now },
    });
    return {
      ...{ store: name, memories: count, writeMs },
      searchMs: await searched(memory, count),
      readMs: await readAgain(memory, store, count),
      observeMs: await observed(memory),
    };
  } finally {
    await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function writeMemories(
  store: MemoryStore,
  from: number,
  count: number,
): Promise<void> {
  const changes = Array.from({ length: count }, (_, at) => ({
    kind: "add" as const,
    wording: composeWording(from + at),
  }));
  await store.apply(PROJECT.id, changes, {
    by: "import",
    sessionId: null,
    segment: null,
    nowMs: 1,
  });
}

function composeWording(number: number): MemoryContent {
  const word = (step: number) => WORDS[(number * step) % WORDS.length];
  return {
    category: "CONFIG_VALUES",
    text: `The ${word(1)} of part ${number} listens on port ${number + 10_000}, and the ${word(7)} follows it after the ${word(11)}.`,
    importance: number % 100,
    permanence: "ordinary",
  };
}

async function searched(memory: ProjectMemory, count: number): Promise<readonly number[]> {
  const { finder } = createMemoryFinder(memory, NO_LOG, Date.now);
  const random = chance(11);
  const tookMs: number[] = [];
  for (let round = 0; round < SEARCHES + WARM_UP; round += 1) {
    const part = Math.floor(random() * count);
    const query = `which port does the ${WORDS[part % WORDS.length]} of part ${part} listen on`;
    const startedAt = processorMs();
    const { findings } = await finder.search(SES, parseTerms(query), "project");
    tookMs.push(processorMs() - startedAt);
    if (findings.length === 0) throw new Error(`Nothing found: ${query}`);
  }
  return tookMs.slice(WARM_UP);
}

async function readAgain(
  memory: ProjectMemory,
  store: MemoryStore,
  count: number,
): Promise<readonly number[]> {
  const context = createSystemContext(createMemoriesSource(() => memory.loadListing()));
  const tookMs: number[] = [];
  for (let round = 0; round < CHANGES; round += 1) {
    await writeMemories(store, count + round, 1);
    const startedAt = processorMs();
    await observe(context);
    tookMs.push(processorMs() - startedAt);
  }
  return tookMs;
}

async function observed(memory: ProjectMemory): Promise<number> {
  const context = createSystemContext(createMemoriesSource(() => memory.loadListing()));
  await observe(context);
  const startedAt = processorMs();
  for (let call = 0; call < CALLS; call += 1) await observe(context);
  return (processorMs() - startedAt) / CALLS;
}

const nothing = () => undefined;
const NO_LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
