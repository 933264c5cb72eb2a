// What the host knows of its models, learned from calls or asked once.
import type { PluginInput } from "@opencode-ai/plugin";
import type { ModelLimits } from "../projection/room.ts";

/** What is asked of a model of the catalogue. */
export interface ModelFacts {
  /** The id that the provider knows it by. */
  readonly apiId: string;
  readonly limits: ModelLimits;
}

/** The host's model, as its hooks and its catalogue have it. */
interface HostModel {
  readonly api: { readonly id: string };
  readonly limit?: {
    readonly context?: number;
    readonly input?: number | undefined;
    readonly output?: number;
  };
}

export class ModelCatalogue {
  readonly #facts = new Map<string, ModelFacts>();
  #asked: Promise<void> | null = null;

  constructor(private readonly client: PluginInput["client"]) {}

  learn(providerId: string, modelId: string, model: HostModel): void {
    const { context = 0, input = null, output = 0 } = model.limit ?? {};
    const limits = { contextTokens: context, inputTokens: input, outputTokens: output };
    this.#facts.set(`${providerId}/${modelId}`, { apiId: model.api.id, limits });
  }

  /** Null where the catalogue has no such model. */
  factsOf(providerId: string, modelId: string): ModelFacts | Promise<ModelFacts | null> {
    const key = `${providerId}/${modelId}`;
    return this.#facts.get(key) ?? this.#askFor(key);
  }

  async #askFor(key: string): Promise<ModelFacts | null> {
    this.#asked ??= this.#ask();
    await this.#asked;
    return this.#facts.get(key) ?? null;
  }

  async #ask(): Promise<void> {
    const { data } = await this.client.config.providers();
    for (const provider of data?.providers ?? []) {
      for (const [modelId, model] of Object.entries(provider.models)) {
        this.learn(provider.id, modelId, model);
      }
    }
  }
}
