// The ids by which providers know the host's models, learned or asked once.
import type { PluginInput } from "@opencode-ai/plugin";

/** The ids that providers know the host's models by: learned from calls, else asked of the host once. */
export class ModelCatalogue {
  readonly #apiIds = new Map<string, string>();
  #asked: Promise<void> | null = null;

  constructor(private readonly client: PluginInput["client"]) {}

  learn(providerId: string, modelId: string, apiId: string): void {
    this.#apiIds.set(`${providerId}/${modelId}`, apiId);
  }

  /** Null where the catalogue has no such model. */
  apiIdOf(providerId: string, modelId: string): string | Promise<string | null> {
    const key = `${providerId}/${modelId}`;
    return this.#apiIds.get(key) ?? this.#askFor(key);
  }

  async #askFor(key: string): Promise<string | null> {
    this.#asked ??= this.#ask();
    await this.#asked;
    return this.#apiIds.get(key) ?? null;
  }

  async #ask(): Promise<void> {
    const { data } = await this.client.config.providers();
    for (const provider of data?.providers ?? []) {
      for (const [modelId, model] of Object.entries(provider.models)) {
        this.learn(provider.id, modelId, model.api.id);
      }
    }
  }
}
