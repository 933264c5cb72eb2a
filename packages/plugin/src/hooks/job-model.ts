// Chooses the model for jobs: the configured one, or the host's small one.

import type { PluginInput } from "@opencode-ai/plugin";
import { BoundedMap } from "../context/bounded-map.ts";
import { findSmallModel, type ListedModel } from "../jobs/small-model.ts";
import type { SessionId } from "../storage/records.ts";
import type { HostConfig } from "./host-config.ts";

/** Limits the sessions whose provider is remembered. */
const MAX_SESSIONS = 256;

export class JobModel {
  readonly #providers = new BoundedMap<string, string>(MAX_SESSIONS);
  #newest: string | null = null;

  constructor(
    private readonly deps: {
      readonly client: PluginInput["client"];
      readonly hostConfig: HostConfig;
      /** The model from our own config, as `provider/model`. */
      readonly configured: string | null;
    },
  ) {}

  /** Records a turn's provider, from which the small model is chosen. */
  sawCall(sessionId: string, providerId: string): void {
    this.#newest = providerId;
    this.#providers.set(sessionId, providerId);
  }

  /** Returns the model as `provider/model`; null where there is none. */
  async choose(sessionId: SessionId | null): Promise<string | null> {
    const { configured, hostConfig, client } = this.deps;
    if (configured !== null) return configured;
    const named = hostConfig.models();
    if (named.small !== null) return named.small;
    const providerId =
      this.#providers.get(sessionId ?? "") ?? this.#newest ?? named.main?.split("/")[0];
    if (providerId === undefined) return null;
    const { data } = await client.config.providers({ throwOnError: true });
    const provider = data.providers.find(({ id }) => id === providerId);
    // The host's catalogue describes more of a model than its first SDK's types.
    const models: readonly ListedModel[] = Object.values(provider?.models ?? {});
    return findSmallModel(providerId, models);
  }
}
