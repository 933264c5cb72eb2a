// Creates the vectors feature: vectors are made while sessions work, and recall's tool queries them.
import { setTimeout as after } from "node:timers/promises";
import type { SearchIndex } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { SemanticCorpus, SemanticSearch } from "../../feature-api/finders.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { toFaultFields } from "../../log/fault.ts";
import { Embedder } from "./embedder.ts";
import type { EmbeddingFault } from "./embedding-answer.ts";
import { describeFault, EmbeddingCaller, embed } from "./embedding-caller.ts";
import { createSemanticSearch, VectorCopy } from "./search-semantic.ts";
import { vectorSettings } from "./settings.ts";

/** The pause between two batches, in which the host runs. */
const BATCH_PAUSE_MS = 5;
/** In a turn with hundreds of calls, vectors are made at this interval, not only at the turn's end. */
const MIN_UPDATE_INTERVAL_MS = 60_000;
/** A copy of thousands of vectors is dropped if it is not used for this long. */
const VECTOR_COPY_LIFETIME_MS = 10 * 60_000;
const ENDPOINT_PAUSED_CODE = "vectors_left_alone";

interface VectorsInstance extends FeatureInstance {
  readonly provides: { readonly search: SemanticSearch };
}

interface VectorsDeps {
  readonly index: Pick<SearchIndex, "file">;
  readonly corpora: readonly SemanticCorpus[];
}

export function createVectorsFeature(
  context: FeatureContext,
  { index: { file }, corpora }: VectorsDeps,
): VectorsInstance {
  const { config, location, log, now } = context;
  const { url, model, apiKeyEnv, timeoutMs } = selectSettings(config, vectorSettings);
  const endpoint = { url, model, key: context.env[apiKeyEnv] ?? null };
  const logFailure = (error: unknown) => log.warn("vectors.failed", toFaultFields(error));
  const closing = new AbortController();
  const ended = { signal: closing.signal, ref: false };
  const wait = (ms: number) => after(ms, undefined, ended).catch(() => undefined);
  const caller = new EmbeddingCaller({
    timeoutMs,
    wait,
    now,
    embed: (texts, dimensions, callTimeoutMs) => {
      const call = { texts, dimensions, timeoutMs: callTimeoutMs, stop: closing.signal };
      return embed(endpoint, call);
    },
    leftAlone: (fault) => {
      if (!closing.signal.aborted) context.notices.notice(createEndpointPausedNotice(fault, model));
    },
    answered: () => context.notices.over(ENDPOINT_PAUSED_CODE),
  });
  const copy = new VectorCopy(file, () => wait(0));
  const getCorpora = () => corpora;
  const getProjectId = () => context.project.id();
  const { directory } = location;
  const embedder = new Embedder({
    file,
    caller,
    texts: getCorpora,
    project: getProjectId,
    directory,
    model,
    failed: logFailure,
    pause: () => wait(BATCH_PAUSE_MS),
  });
  const find = createSemanticSearch({
    file,
    copy,
    caller,
    texts: getCorpora,
    project: getProjectId,
    model,
    failed: logFailure,
  });
  let release: ReturnType<typeof setTimeout> | undefined;
  const searchWithCopy: SemanticSearch = (asker, query) => {
    clearTimeout(release);
    release = setTimeout(() => copy.release(), VECTOR_COPY_LIFETIME_MS).unref();
    return find(asker, query);
  };
  let updatedMs = now();
  const updateVectors = () => {
    updatedMs = now();
    void embedder.update();
  };
  return {
    provides: { search: searchWithCopy },
    hooks: {
      sent: () => {
        if (now() - updatedMs >= MIN_UPDATE_INTERVAL_MS) updateVectors();
      },
      settled: async () => updateVectors(),
      closed() {
        closing.abort();
        clearTimeout(release);
        embedder.close();
        file.close();
      },
    },
  };
}

function createEndpointPausedNotice(fault: EmbeddingFault, model: string) {
  return {
    code: ENDPOINT_PAUSED_CODE,
    severity: "warning",
    ends: "by over",
    message: `The endpoint for embeddings ${describeFault(fault, model)}: ctx_search finds texts by their words alone until it answers again.`,
    remedy:
      "Check vectors.url, vectors.model and vectors.apiKeyEnv; it is asked again in 15 minutes.",
  } as const;
}
