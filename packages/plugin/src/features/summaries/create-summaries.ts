// Creates the historian: the events that it handles and its jobs.
import type {
  FINDERS,
  SEGMENT_SEARCH,
  SEMANTIC_CORPORA,
  SearchIndex,
  WRITTEN_SEGMENTS,
} from "../../feature-api/extension-points.ts";
import type { ProvidingFeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { buildModelChain } from "../../feature-api/job.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { collectKeptIds } from "../../history/kept.ts";
import { isFoldNear } from "../../history/plan.ts";
import { countWorkTokens } from "../../history/work.ts";
import { toFaultFields } from "../../log/fault.ts";
import { resolveHistorySettings } from "../history/history-settings.ts";
import { historianConfig } from "./config.ts";
import { createMemoryPort, defineFactsJob } from "./memory-port.ts";
import { createResummarizeCommand } from "./resummary.ts";
import { createSegmentFinder } from "./segment-finder.ts";
import {
  createProjectSegmentReader,
  createSegmentReader,
  createSegmentStore,
} from "./segment-store.ts";
import { SummaryWatch } from "./watch.ts";
import { defineWriteJob, hasWork, type WriteDeps } from "./write-job.ts";

/** The size of the newest history that is left alone if `history.keepTokens` is learnt. */
const DEFAULT_KEEP_TOKENS = 6_000;

/** The limit when reading messages; no session has as many. */
const MAX_MESSAGES = 100_000;
const HOST_TIMEOUT_MS = 20_000;
/** The timeout of a call; a small model writes such a summary in a fraction of this time. */
const CALL_TIMEOUT_MS = 120_000;

type SummariesInstance = ProvidingFeatureInstance<{
  readonly finder: typeof FINDERS;
  readonly corpus: typeof SEMANTIC_CORPORA;
  readonly findSegment: typeof SEGMENT_SEARCH;
  readonly written: typeof WRITTEN_SEGMENTS;
}>;

const NO_SUMMARIES: SummariesInstance = {
  provides: { finder: null, corpus: null, findSegment: null, written: null },
};

interface SummariesDeps {
  readonly index: Pick<SearchIndex, "file"> | null;
}

export function createSummariesFeature(
  context: FeatureContext,
  { index }: SummariesDeps,
): SummariesInstance {
  const { config, database, host, jobs, location, log, nextCall, now, project } = context;
  const settings = resolveHistorySettings(context);
  if (settings === null) return NO_SUMMARIES;
  const { models, batchTokens, leastTokens } = selectSettings(config, historianConfig);
  const keepTokens = settings.keepTokens === "auto" ? DEFAULT_KEEP_TOKENS : settings.keepTokens;
  const getStore = () => database.current().store(createSegmentStore);
  const logFailure = (error: unknown) => log.warn("historian.failed", toFaultFields(error));
  const read = createSegmentReader({
    store: getStore,
    project: () => project.known,
    failed: logFailure,
  });
  const asked = { timeoutMs: HOST_TIMEOUT_MS };
  const readProjectRows = createProjectSegmentReader(getStore);
  const found = createSegmentFinder({
    rows: async () => readProjectRows(await project.id()),
    failed: logFailure,
    live: (sessionId) => context.sent.get(sessionId),
    indexed: (sessionId) => index?.file.use((store) => store.listMessageIds(sessionId)) ?? null,
  });
  const memory = createMemoryPort(context);
  const watch = new SummaryWatch({
    store: getStore,
    read,
    batchTokens,
    keepTokens,
    leastTokens,
    workTokens: (messages) => countWorkTokens(messages, settings.measure),
    add: (job) => void jobs.add(job),
    async foldNears(sessionId) {
      const next = await nextCall(sessionId);
      return (
        next !== null && isFoldNear({ ...next, written: [], kept: collectKeptIds(next) }, settings)
      );
    },
    isChild: async (sessionId) => (await host.parent(sessionId, asked)) !== null,
  });
  const deps: WriteDeps = {
    store: getStore,
    batchTokens,
    keepTokens,
    timeoutMs: CALL_TIMEOUT_MS,
    project: () => project.get(),
    now,
    memory,
    directory: location.directory,
    models: buildModelChain(models, [null, ...config.jobs.fallbacks]),
    noted: (notes) => {
      if (notes.length > 0) log.info("historian.answer", { notes: notes.join(" ") });
    },
    messages: (sessionId) => host.messages(sessionId, { count: MAX_MESSAGES, ...asked }),
  };
  return {
    provides: {
      finder: found.finder,
      corpus: found.semantic,
      findSegment: found.segment,
      written: read,
    },
    jobs: [defineWriteJob(deps), defineFactsJob(memory)],
    commands: [
      createResummarizeCommand({ ...context, hasWork: (sessionId) => hasWork(deps, sessionId) }),
    ],
    hooks: {
      sent: ({ sessionId, host: messages }) => {
        void watch.onSent(sessionId, messages).catch(logFailure);
      },
      async settled(sessionId) {
        try {
          watch.onSettled(sessionId);
        } catch (error) {
          // A job that can't be stored now is tried again after the next call.
          logFailure(error);
        }
      },
      onEvent: ({ kind, sessionId }) => {
        if (kind === "deleted") watch.onRemoved(sessionId);
      },
    },
  };
}
