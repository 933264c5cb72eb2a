// Hears providers refuse calls for their length, and says what they take.
import type { StatedTokens } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { SessionId } from "../../storage/records.ts";
import { type LimitRecord, limitStore } from "./limit-store.ts";
import { statedLimit } from "./stated-limit.ts";

/** After it the catalogue counts again: windows grow, and local servers are started with larger ones. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** What was read at one version of the database. */
interface CachedLimit {
  readonly version: number;
  readonly limit: LimitRecord | null;
}

interface Model {
  readonly providerId: string;
  readonly modelId: string;
}

/** What history takes of it into its own room. */
interface LimitParts extends Required<Pick<FeatureInstance, "hooks">> {
  readonly statedTokens: StatedTokens;
}

export function createLimits({
  database,
  log,
  now,
}: Pick<FeatureContext, "database" | "log" | "now">): LimitParts {
  /** The model of each session's newest call: OpenCode 1 doesn't name it at a refusal. */
  const asked = new Map<SessionId, Model>();
  const known = new Map<string, CachedLimit>();
  /** Each boundary asks, and has just looked whether another process has written. */
  const findLimit = (providerId: string, modelId: string): LimitRecord | null => {
    const key = `${providerId}/${modelId}`;
    const { seenVersion, store } = database.current();
    const version = seenVersion();
    const read = known.get(key);
    if (read?.version === version) return read.limit;
    const limit = store(limitStore).of(providerId, modelId);
    known.set(key, { version, limit });
    return limit;
  };
  return {
    statedTokens(providerId, modelId) {
      const limit = findLimit(providerId, modelId);
      return limit !== null && limit.statedAtMs >= now() - KEPT_MS ? limit.tokens : null;
    },
    hooks: {
      sending: ({ sessionId, to, modelId }) =>
        void asked.set(sessionId, { providerId: to.providerId, modelId }),
      /** A compaction's own call may go to another model, which nobody names. */
      compacting: async (sessionId) => void asked.delete(sessionId),
      async onEvent(happening) {
        const { kind, sessionId } = happening;
        if (kind === "deleted") asked.delete(sessionId);
        if (kind !== "refused") return;
        const model = happening.model ?? asked.get(sessionId);
        const [tokens] = happening.said.flatMap((text) => statedLimit(text) ?? []);
        if (!model || tokens === undefined) return;
        log.info("limits.stated", { model: `${model.providerId}/${model.modelId}`, tokens });
        await database.ensure();
        database
          .current()
          .store(limitStore)
          .put({ ...model, tokens, statedAtMs: now() });
        known.clear();
      },
    },
  };
}
