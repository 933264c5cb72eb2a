// Searches this folder's project with the plugin's features: memories, notes, commits, summaries.
// Folder: Searches from the command line.
import { existsSync } from "node:fs";
import {
  emptyResult,
  type Finder,
  type FinderResult,
  Finders,
  type SemanticCorpus,
} from "@session-runtime/opencode/feature-api/finders";
import { createMemoryFinder } from "@session-runtime/opencode/features/memory/memory-finder";
import { ProjectMemory } from "@session-runtime/opencode/features/memory/project-memory";
import { createSqliteMemoryStore } from "@session-runtime/opencode/features/memory/sqlite-store";
import { CommitIndex } from "@session-runtime/opencode/features/search/commit-index";
import { createCommitFinder } from "@session-runtime/opencode/features/search/create-commits";
import { parseTerms } from "@session-runtime/opencode/features/search/query-words";
import { createTextCorpus } from "@session-runtime/opencode/features/search/semantic-corpus";
import { createSegmentFinder } from "@session-runtime/opencode/features/summaries/segment-finder";
import {
  createProjectSegmentReader,
  createSegmentStore,
} from "@session-runtime/opencode/features/summaries/segment-store";
import type { Log } from "@session-runtime/opencode/log/log";
import { KnownProject } from "@session-runtime/opencode/project/known-project";
import { hasIndex, toIndexPath } from "@session-runtime/opencode/search-index/place";
import { IndexStore } from "@session-runtime/opencode/search-index/store";
import { connect } from "@session-runtime/opencode/storage/connect";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { openForReading } from "@session-runtime/opencode/storage/open-existing";
import type { ProjectId, SessionId } from "@session-runtime/opencode/storage/records";
import { schema } from "../database/schema.ts";
import type { Environment } from "../host/places.ts";
import { searchSemanticHere } from "./find-meant-here.ts";

export interface SearchPlace {
  /** The path of the runtime's database. */
  readonly path: string;
  readonly project: ProjectId;
  readonly env: Environment;
}

export interface SearchResults {
  readonly words: FinderResult;
  readonly semantic: FinderResult;
}

/** Describes texts that are found by their words and by their meaning. */
interface Findable {
  readonly finder: Finder;
  readonly semantic: SemanticCorpus;
}

/** Stands for no session, so that the notes of sessions are not searched. */
const NOBODY = "" as SessionId;

/** Searches by words and by meaning; files that can't be read are skipped. */
export async function findHere(query: string, place: SearchPlace): Promise<SearchResults> {
  const opened = await OpenFiles.open(place.path);
  try {
    const { database, index } = opened;
    const { project } = place;
    const found: readonly Findable[] = [
      ...(database ? [ofMemory(database, project), ofSegments({ database, index }, project)] : []),
      ...(index ? [commitsIn(index, project)] : []),
    ];
    const finders = new Finders(found.map(({ finder }) => finder));
    const texts = found.map(({ semantic }) => semantic);
    const terms = parseTerms(query);
    const asker = { sessionId: NOBODY, within: "project", terms } as const;
    const [words, semantic] = await Promise.all([
      finders.search(NOBODY, terms),
      index
        ? searchSemanticHere(
            { texts: [...texts, saidIn(index, project)], index, place },
            asker,
            query,
          )
        : Promise.resolve(emptyResult),
    ]);
    return { words, semantic: semantic };
  } finally {
    opened.close();
  }
}

/** Holds the open files; null for one that is missing or unreadable. */
class OpenFiles {
  private constructor(
    readonly database: Driver | null,
    readonly index: IndexStore | null,
  ) {}

  static async open(path: string): Promise<OpenFiles> {
    const file = toIndexPath(path);
    const index = hasIndex(file) ? await orNull(() => connect(file, "read")) : null;
    return new OpenFiles(
      existsSync(path) ? await orNull(() => openForReading(path, schema)) : null,
      index && new IndexStore(index),
    );
  }

  close(): void {
    this.database?.close();
    this.index?.driver.close();
  }
}

async function orNull(open: () => Promise<Driver>): Promise<Driver | null> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}

/** Searches memories without recording a use: what the shell finds is printed, not sent to a model. */
function ofMemory(driver: Driver, id: ProjectId): Findable {
  const unwritten = () => Promise.resolve();
  const store = { ...createSqliteMemoryStore(driver), used: unwritten };
  const memory = new ProjectMemory({
    project: new KnownProject(
      () => store,
      async () => ({ id, name: "", worktree: "" }),
    ),
    store: () => store,
    ...{ budgetTokens: 0, log: NO_LOG, now: Date.now },
  });
  return createMemoryFinder(memory, NO_LOG, Date.now);
}

function commitsIn(store: IndexStore, project: ProjectId): Findable {
  const index = new CommitIndex(store);
  return createCommitFinder(async (otherwise, work) => {
    try {
      return work(index, project);
    } catch (error) {
      if (error instanceof StorageError) return otherwise;
      throw error;
    }
  });
}

function ofSegments(
  { database, index }: { readonly database: Driver; readonly index: IndexStore | null },
  project: ProjectId,
): Findable {
  const store = createSegmentStore(database);
  const readProjectRows = createProjectSegmentReader(() => store);
  const { finder, semantic } = createSegmentFinder({
    rows: async () => readProjectRows(project),
    live: () => undefined,
    indexed: (sessionId) => index?.listMessageIds(sessionId) ?? null,
    failed: nothing,
  });
  return { finder, semantic };
}

/** Searches by meaning what was said; the search index itself finds it by words. */
function saidIn(store: IndexStore, project: ProjectId): SemanticCorpus {
  return createTextCorpus({
    file: { use: (work) => work(store) },
    indexer: { awaitIdle: () => Promise.resolve("whole") },
    scope: async (sessionId) => ({ sessionId, project }),
    isShown: () => () => false,
  });
}

const nothing = () => undefined;
const NO_LOG: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
