// Reads a model's token limit from the error with which a provider refuses a call, and provides it to other features.
import type { StatedTokens } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { SessionId } from "../../storage/records.ts";
import { type LimitRecord, limitStore } from "./limit-store.ts";
import { statedLimit } from "./stated-limit.ts";

/** A stated limit expires after a week: windows grow, and local servers are restarted with larger ones. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Holds a limit as read at one version of the database. */
interface CachedLimit {
  readonly version: number;
  readonly limit: LimitRecord | null;
}

interface Model {
  readonly providerId: string;
  readonly modelId: string;
}

/** Holds what the history feature takes over from here: hooks and the stated limits. */
interface LimitParts extends Required<Pick<FeatureInstance, "hooks">> {
  readonly statedTokens: StatedTokens;
}

export function createLimits({
  database,
  log,
  now,
}: Pick<FeatureContext, "database" | "log" | "now">): LimitParts {
  /** Maps each session to the model of its newest call, because OpenCode 1 doesn't name it in a refusal. */
  const asked = new Map<SessionId, Model>();
  const known = new Map<string, CachedLimit>();
  /**
   * Every boundary calls this; by then it has checked whether another process has written, so the version is current.
   */
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
      /** A compaction may call another model, which no hook names, so a refusal is not assigned to the old one. */
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
