// Offers the texts of a project's sessions for vectors, and shows them when a search finds them.
import type {
  Finding,
  SearchRequest,
  SemanticCorpus,
  SemanticHit,
} from "../../feature-api/finders.ts";
import type { CollectionScope } from "../../search-index/collection.ts";
import type { PassagePlace } from "../../search-index/document.ts";
import type { IndexFile } from "../../search-index/file.ts";
import type { IndexStore } from "../../search-index/store.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Indexer } from "./indexer.ts";
import type { IsPartInContext } from "./search.ts";
import { cutSnippet, joinPassages } from "./snippet.ts";

interface SemanticCorpusDeps {
  readonly file: Pick<IndexFile, "use">;
  readonly indexer: Pick<Indexer, "awaitIdle">;
  readonly scope: (sessionId: SessionId) => Promise<CollectionScope>;
  readonly isShown: (sessionId: SessionId) => IsPartInContext;
}

const INDEX_TIMEOUT_MS = 5_000;
const SNIPPET_TOKENS = 170;

/**
 * Covers people's and the model's own words. Tool output consists of names, numbers and errors, which a search by
 * words finds, and it would be most of the bill.
 */
export function createTextCorpus({
  file,
  indexer,
  scope,
  isShown,
}: SemanticCorpusDeps): SemanticCorpus {
  return {
    kind: "said",
    list: async () => {
      await indexer.awaitIdle(INDEX_TIMEOUT_MS);
      return null;
    },
    texts: async (keys) =>
      file.use((store) =>
        keys.map((key) => {
          const place = store.findPlace(Number(key));
          return place && (store.readPassages(place.part, place.at, 1)[0]?.text ?? null);
        }),
      ),
    find: async (asker, keys) => {
      const isSeen = isShown(asker.sessionId);
      const scoped = await scope(asker.sessionId);
      return file.use((store) => {
        const range = store.findRange(scoped, asker.within);
        return keys.map((key): SemanticHit => {
          const id = Number(key);
          const place = store.findPlace(id);
          if (!place || id < range.first || id > range.last) return "gone";
          if (isSeen(place.part)) return "in context";
          return toFinding(store, place, asker);
        });
      });
    },
  };
}

function toFinding(
  store: IndexStore,
  { part, at }: PassagePlace,
  { sessionId, terms }: SearchRequest,
): Finding {
  const words = terms.map(({ text }) => ({ text, weight: 1 }));
  const lines = cutSnippet(joinPassages(store.readPassages(part, at, 1)), words, SNIPPET_TOKENS);
  const where = part.sessionId === sessionId ? "" : `, in session ${part.sessionId}`;
  return {
    ref: part.ref,
    words: `${part.words}${where}`,
    madeAtMs: part.madeAtMs,
    lines: lines.map(({ text }) => text),
  };
}
