import type { PluginInput } from "@opencode-ai/plugin";

/** The ids that providers know the host's models by: learned from calls, else asked of the host once. */
export class ModelCatalogue {
  readonly #apiIds = new Map<string, string>();
  #asked: Promise<void> | null = null;

  constructor(private readonly client: PluginInput["client"]) {}

  learn(providerId: string, modelId: string, apiId: string): void {
    this.#apiIds.set(`${providerId}/${modelId}`, apiId);
  }

  async apiIdOf(providerId: string, modelId: string): Promise<string | null> {
    const key = `${providerId}/${modelId}`;
    const known = this.#apiIds.get(key);
    if (known !== undefined) return known;
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
