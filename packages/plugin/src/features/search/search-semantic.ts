// Finds texts by the meaning of a question.
import {
  emptyResult,
  type FinderResult,
  type SearchRequest,
  type SemanticCorpus,
  type SemanticHit,
  type SemanticSearch,
} from "../../feature-api/finders.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { ProjectId } from "../../storage/records.ts";
import { toSendableText } from "./embedder.ts";
import type { EmbeddingCaller } from "./embedding-caller.ts";
import {
  type CopyExtent,
  findNearest,
  type SemanticItem,
  type VectorBlock,
  VectorStore,
} from "./vector-store.ts";

// Holds a project's vectors in memory while they are used.

/** The number of rows read at once, which takes some milliseconds of the host's own thread. */
const ROWS_PER_READ = 2_000;

interface CachedVectors {
  readonly blocks: VectorBlock<number>[];
  readonly extent: CopyExtent;
  lastVectorId: number;
}

export class VectorCopy {
  #copy: CachedVectors | null = null;

  constructor(
    private readonly file: Pick<IndexFile, "use">,
    private readonly pause: () => Promise<void>,
  ) {}

  /** Returns all vectors of the extent. Reads those that the copy lacks, or all if any was removed. */
  async readBlocks(extent: CopyExtent): Promise<readonly VectorBlock<number>[]> {
    const copy = this.#beginCopy(extent);
    this.#copy = copy;
    while (copy.lastVectorId < extent.last) {
      const { block, last } = this.file.use((store) =>
        new VectorStore(store).readBlock(extent, copy.lastVectorId, ROWS_PER_READ),
      );
      if (last === null) break;
      copy.blocks.push(block);
      copy.lastVectorId = last;
      await this.pause();
    }
    return copy.blocks;
  }

  release(): void {
    this.#copy = null;
  }

  #beginCopy(extent: CopyExtent): CachedVectors {
    const held = this.#copy;
    const isSame =
      held !== null &&
      held.extent.projectRowId === extent.projectRowId &&
      held.extent.removals === extent.removals &&
      held.extent.dimensions === extent.dimensions &&
      held.lastVectorId <= extent.last;
    return isSame ? held : { blocks: [], extent, lastVectorId: 0 };
  }
}

interface SearchSemanticDeps {
  readonly file: Pick<IndexFile, "use">;
  readonly copy: VectorCopy;
  readonly caller: EmbeddingCaller;
  readonly texts: () => readonly SemanticCorpus[];
  readonly project: () => Promise<ProjectId>;
  readonly model: string;
  readonly failed: (error: unknown) => void;
}

/** The number of nearest vectors that are checked, including those in the context or out of reach. */
const MAX_NEAREST_VECTORS = 24;
const MAX_FINDINGS = 5;

export function createSemanticSearch(deps: SearchSemanticDeps): SemanticSearch {
  return async (asker, query) => {
    try {
      return await findSemanticMatches(deps, asker, query);
    } catch (error) {
      deps.failed(error);
      return emptyResult;
    }
  };
}

async function findSemanticMatches(
  deps: SearchSemanticDeps,
  asker: SearchRequest,
  query: string,
): Promise<FinderResult> {
  const { file, copy, caller, model } = deps;
  const project = await deps.project();
  const extent = file.use((store) => new VectorStore(store).readExtent(project, model));
  if (extent === null || extent.dimensions === null) return emptyResult;
  const vector = await caller.query(toSendableText(query), extent.dimensions);
  if (vector === null) return emptyResult;
  const near = findNearest(await copy.readBlocks(extent), vector, MAX_NEAREST_VECTORS);
  const items = file.use((index) => {
    const store = new VectorStore(index);
    return near.flatMap(({ item }) => store.findItem(item) ?? []);
  });
  const shown = await Promise.all(
    deps.texts().map((texts) => findItemsOfKind(texts, asker, items)),
  );
  const byItem = new Map(shown.flat());
  const inOrder = items.map((item) => byItem.get(item) ?? "gone");
  const findings = inOrder.filter((one) => typeof one === "object");
  return {
    findings: findings.slice(0, MAX_FINDINGS),
    inContext: inOrder.filter((one) => one === "in context").length,
  };
}

async function findItemsOfKind(
  texts: SemanticCorpus,
  asker: SearchRequest,
  items: readonly SemanticItem[],
): Promise<readonly (readonly [SemanticItem, SemanticHit])[]> {
  const own = items.filter(({ kind }) => kind === texts.kind);
  const found = await texts.find(
    asker,
    own.map(({ key }) => key),
  );
  return own.map((item, at) => [item, found[at] ?? "gone"]);
}
