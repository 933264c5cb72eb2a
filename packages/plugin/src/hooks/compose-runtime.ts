// Builds the runtime of a Location from its configuration and parts.
import type { PluginInput } from "@opencode-ai/plugin";
import type { Config } from "../config/schema.ts";
import { whenThere } from "../context/when-there.ts";
import type { OpenRoom } from "../features/open-rooms.ts";
import { roomPolicies, roomWitnesses } from "../features/room-policies.ts";
import { roomLimits } from "../features/stated-limits.ts";
import type { FailureReporter } from "../log/fault.ts";
import { policiesWith } from "../policies/list.ts";
import { type ModelBounds, narrowed, roomFor } from "../projection/room.ts";
import { SessionRuntime } from "../session/runtime.ts";
import { sharedRegistry } from "../sources/custom/registration.ts";
import { FileCache, unconfined } from "../sources/file-cache.ts";
import { hostScope } from "../sources/instruction-scope.ts";
import { UrlCache, urlCacheDefaults } from "../sources/instruction-urls.ts";
import type { DatabaseHandle } from "../storage/database-handle.ts";
import type { SessionTraces } from "../traces/session-traces.ts";
import type { ModelCatalogue } from "./catalogue.ts";
import { type Channels, tellSourceFailed } from "./compose-channels.ts";
import type { HostConfig } from "./host-config.ts";
import { roomDispatch } from "./room-dispatch.ts";

/** How long after a call's hooks something is done about it: by then the request is on its way. */
export const AFTER_SEND_MS = 30;

/** What the runtime of a Location is made of, beside its configuration. */
interface RuntimeParts {
  readonly input: PluginInput;
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly database: DatabaseHandle;
  readonly catalogue: ModelCatalogue;
  readonly hostConfig: HostConfig;
  readonly traces: SessionTraces;
  readonly channels: Channels;
  readonly failures: FailureReporter;
  readonly now: () => number;
  readonly rooms: readonly OpenRoom[];
  readonly toolTokens: ReadonlyMap<string, number>;
}

export function composeRuntime(config: Config, parts: RuntimeParts): SessionRuntime {
  const { input, database, catalogue, hostConfig, now } = parts;
  const { directory, worktree } = input;
  const files = new FileCache(unconfined(config.instructions.maxBytes));
  const git = input.project.vcs === "git" ? "yes" : "no";
  const configured = () => hostConfig.instructions();
  const dispatch = roomDispatch(parts.rooms, parts.failures);
  const statedTokens = roomLimits(parts.rooms, parts.failures);
  return new SessionRuntime({
    database: () => database.current(),
    location: { directory, worktree },
    sources: {
      environment: { directory, worktree, git, platform: process.platform },
      scope: hostScope({ directory, worktree, configured }, parts.env, parts.home),
      files,
      urls: new UrlCache({
        ...urlCacheDefaults,
        limitBytes: config.instructions.maxBytes,
        refreshMs: config.instructions.urlRefreshMs,
      }),
      now,
      timeZone: config.date.timeZone,
      apiIdOf: (providerId, modelId) =>
        whenThere(catalogue.factsOf(providerId, modelId), (facts) => facts?.apiId ?? null),
      additions: {
        rooms: parts.rooms.flatMap(({ sources }) => sources ?? []),
        registry: sharedRegistry(),
        timeoutMs: config.observation.timeoutMs,
      },
    },
    files,
    boundFailure: (call, text) =>
      parts.rooms.find(({ boundFailure }) => boundFailure)?.boundFailure?.(call, text) ?? null,
    settings: {
      cacheTtlMs: config.cache.ttlMs,
      sourceTimeoutMs: config.observation.timeoutMs,
      onModelSwitch: config.epoch.onModelSwitch,
      split: config.cache.split,
    },
    toolTokens: parts.toolTokens,
    hostPrune: () => hostConfig.prune(),
    policies: policiesWith(roomPolicies(parts.rooms, parts.failures)),
    witnesses: roomWitnesses(parts.rooms, parts.failures),
    roomOf: ({ providerId, modelId, projected, isOutdated }) =>
      whenThere(boundsOf(catalogue, providerId, modelId), (bounds) =>
        roomFor(narrowed(bounds, statedTokens(providerId, modelId)), projected, isOutdated),
      ),
    now,
    defer: (sessionId, work) =>
      setTimeout(
        () => void parts.traces.job({ name: "turn-record", sessionId }, async () => work()),
        AFTER_SEND_MS,
      ),
    decided: (sessionId, decided) => void dispatch("decided", sessionId, decided),
    sourceFailed: (key, reason) => tellSourceFailed(parts.channels, key, reason),
    storageFailed: (error) => parts.failures.failed("storage", error),
  });
}

/** A catalogue that can't be asked leaves open how much the model takes: nothing is under pressure then. */
function boundsOf(
  catalogue: ModelCatalogue,
  providerId: string,
  modelId: string,
): ModelBounds | null | Promise<ModelBounds | null> {
  const facts = catalogue.factsOf(providerId, modelId);
  return facts instanceof Promise ? facts.catch(() => null) : facts;
}
