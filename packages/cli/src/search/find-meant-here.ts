// Searches by meaning from the shell, where an endpoint for embeddings is set.
import {
  emptyResult,
  type FinderResult,
  type SearchRequest,
  type SemanticCorpus,
} from "@session-runtime/opencode/feature-api/finders";
import { EmbeddingCaller, embed } from "@session-runtime/opencode/features/search/embedding-caller";
import {
  createSemanticSearch,
  VectorCopy,
} from "@session-runtime/opencode/features/search/search-semantic";
import {
  type VectorSettings,
  vectorSettings,
} from "@session-runtime/opencode/features/search/settings";
import type { IndexStore } from "@session-runtime/opencode/search-index/store";
import type { ProjectId } from "@session-runtime/opencode/storage/records";
import { ownField } from "../database/configured-values.ts";
import { userConfigs } from "../database/place.ts";
import type { Environment } from "../host/places.ts";

interface SearchedProject {
  readonly texts: readonly SemanticCorpus[];
  readonly index: IndexStore;
  readonly place: { readonly project: ProjectId; readonly env: Environment };
}

/**
 * Searches by meaning; finds nothing without an endpoint, without vectors, or if the endpoint doesn't answer in time.
 */
export async function searchSemanticHere(
  { texts, index, place: { project, env } }: SearchedProject,
  asker: SearchRequest,
  query: string,
): Promise<FinderResult> {
  const settings = await readVectorSettings(env);
  if (settings === null) return emptyResult;
  const { url, model, apiKeyEnv, timeoutMs } = settings;
  const stop = new AbortController().signal;
  const endpoint = { url, model, key: env[apiKeyEnv] ?? null };
  const ignored = () => undefined;
  const caller = new EmbeddingCaller({
    embed: (some, dimensions, callTimeoutMs) =>
      embed(endpoint, { texts: some, dimensions, timeoutMs: callTimeoutMs, stop }),
    ...{
      timeoutMs,
      leftAlone: ignored,
      answered: ignored,
      wait: () => Promise.resolve(),
      now: Date.now,
    },
  });
  const file = { use: <T>(work: (store: IndexStore) => T) => work(index) };
  const copy = new VectorCopy(file, () => Promise.resolve());
  const find = createSemanticSearch({
    ...{ file, copy, caller, project: async () => project, model, failed: ignored },
    texts: () => texts,
  });
  return find(asker, query);
}

/** Returns the settings; null where no endpoint is set, or they are wrong, which doctor reports. */
async function readVectorSettings(env: Environment): Promise<VectorSettings | null> {
  const sections = (await userConfigs(env)).map((config) => ownField(config, "vectors"));
  const set = Object.assign({}, ...sections.filter((one) => typeof one === "object"));
  if (Object.keys(set).length === 0) return null;
  const { buildSectionSchema } = await import("@session-runtime/opencode/config/whole-schema");
  const read = (await buildSectionSchema(vectorSettings)).safeParse(set);
  return read.success && read.data.url !== "" && read.data.model !== "" ? read.data : null;
}
