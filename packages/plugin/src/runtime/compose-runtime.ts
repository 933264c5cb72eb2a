// Builds the runtime of a Location.
import { combine, mapMaybePromise } from "../context/system-context.ts";
import type { ProvidedLookup } from "../feature-api/extension-point.ts";
import { type BoundFailure, FAILURE_BOUNDS } from "../feature-api/extension-points.ts";
import {
  collectPolicies,
  collectWitnesses,
  memoizeByFeatures,
  type OpenFeature,
} from "../feature-api/open-features.ts";
import { createLimitLookup } from "../feature-api/withheld-tools.ts";
import { LostParts } from "../features/compaction/summary-check.ts";
import { AddedSources } from "../features/custom-sources/added-sources.ts";
import { getSharedRegistry } from "../features/custom-sources/registration.ts";
import { createPolicies } from "../ledger/policy-list.ts";
import { computeCallSpace, type ModelSpec, narrowBounds } from "../ledger/space.ts";
import { SessionRuntime } from "../session/runtime.ts";
import { createUnconfinedSettings, FileCache } from "../sources/file-cache.ts";
import { UrlCache, urlCacheDefaults } from "../sources/instruction-urls.ts";
import type { ModelCatalogue } from "./catalogue.ts";
import { reportDamagedTexts, reportSourceFailure, toSourceNoticeCode } from "./channels.ts";
import type { DispatchHook } from "./dispatch-hooks.ts";
import type { Services } from "./services.ts";
import { UnofferedTools, type WithheldToolLookup } from "./unoffered-tools.ts";

/** Delays follow-up work after a call's hooks, until the request is on its way. */
export const AFTER_SEND_DELAY_MS = 30;

/** Holds the parts, besides the services, that have been composed before the runtime. */
interface RuntimeParts {
  readonly catalogue: ModelCatalogue;
  /** The open features, read at each call. */
  readonly featureInstances: readonly OpenFeature[];
  readonly provided: ProvidedLookup;
  readonly dispatch: DispatchHook;
  readonly toolTokens: ReadonlyMap<string, number>;
  readonly withheldTools: WithheldToolLookup;
}

export function composeRuntime(
  base: Services,
  { catalogue, featureInstances, provided, dispatch, toolTokens, withheldTools }: RuntimeParts,
): SessionRuntime {
  const { config, edge, database, failures, location, now } = base;
  const { system } = edge;
  const { directory, worktree } = location;
  const files = new FileCache(createUnconfinedSettings(config.instructions.maxBytes));
  const { git } = edge.place;
  const statedTokens = createLimitLookup(provided, failures);
  const unoffered = new UnofferedTools({
    own: [...toolTokens.keys()],
    rules: edge.asked.rules,
    withheld: (call, lacked) => withheldTools.listExcluding(call, lacked),
    timeoutMs: config.observation.timeoutMs,
  });
  return new SessionRuntime({
    database: () => database.current(),
    location,
    sources: {
      environment: { directory, worktree, git, platform: process.platform },
      scope: edge.scope,
      files,
      urls: new UrlCache({
        ...urlCacheDefaults,
        limitBytes: config.instructions.maxBytes,
        refreshMs: config.instructions.urlRefreshMs,
      }),
      now,
      timeZone: config.date.timeZone,
      findApiId: (providerId, modelId) =>
        mapMaybePromise(catalogue.findFacts(providerId, modelId), (facts) => facts?.apiId ?? null),
      summary: () => new LostParts(() => database.current()),
      added: () => {
        const added = new AddedSources({
          featureInstances: featureInstances.flatMap(({ sources }) => sources ?? []),
          registry: getSharedRegistry(),
          timeoutMs: config.observation.timeoutMs,
        });
        return system === "ours" ? added : dropBuiltIn(added);
      },
    },
    files,
    boundFailure: (call, text) => boundFailedCall(provided, call, text),
    settings: {
      cacheTtlMs: config.cache.ttlMs,
      sourceTimeoutMs: config.observation.timeoutMs,
      onModelSwitch: config.epoch.onModelSwitch,
      split: config.cache.split,
      system,
    },
    toolTokens,
    withheld: (call) => unoffered.findNames(call),
    hostPrune: edge.prunes,
    policies: memoizeByFeatures(featureInstances, () =>
      createPolicies(collectPolicies(featureInstances, failures)),
    ),
    witnesses: memoizeByFeatures(featureInstances, () =>
      collectWitnesses(featureInstances, failures),
    ),
    measureSpace: ({ providerId, modelId, projected, isOutdated }) =>
      mapMaybePromise(findModelBounds(catalogue, providerId, modelId), (bounds) =>
        computeCallSpace(
          narrowBounds(bounds, statedTokens(providerId, modelId)),
          projected,
          isOutdated,
        ),
      ),
    now,
    defer: (sessionId, work) =>
      setTimeout(
        () => void base.traces.traceJob({ name: "turn-record", sessionId }, async () => work()),
        AFTER_SEND_DELAY_MS,
      ),
    decided: (sessionId, decided) => void dispatch("decided", sessionId, decided),
    textsDamaged: (sessionId, found) => reportDamagedTexts(base, sessionId, found),
    sourceFailed: (key, reason) => reportSourceFailure(base, key, reason),
    sourceBack: (key) => base.notices.over(toSourceNoticeCode(key)),
    storageFailed: (error) => failures.failed("storage", error),
    storageWorks: () => failures.storageWorks(),
  });
}

function boundFailedCall(
  provided: ProvidedLookup,
  ...failed: Parameters<BoundFailure>
): ReturnType<BoundFailure> {
  for (const { value: bound } of provided.getAll(FAILURE_BOUNDS)) {
    const text = bound(...failed);
    if (text !== null) return text;
  }
  return null;
}

/** Removes sources that the host announces itself: the built-in ones would announce them a second time. */
function dropBuiltIn(added: AddedSources): Pick<AddedSources, "context"> {
  return { context: (boundary) => added.context({ ...boundary, builtIn: combine([]) }) };
}

/**
 * Finds the model's limits. If the catalogue can't be read, they stay unknown and no call counts as under
 * pressure.
 */
function findModelBounds(
  catalogue: ModelCatalogue,
  providerId: string,
  modelId: string,
): ModelSpec | null | Promise<ModelSpec | null> {
  const facts = catalogue.findFacts(providerId, modelId);
  return facts instanceof Promise ? facts.catch(() => null) : facts;
}
