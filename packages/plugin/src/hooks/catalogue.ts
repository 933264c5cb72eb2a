// What the host knows of its models, learned from calls or asked once.
import type { PluginInput } from "@opencode-ai/plugin";
import { ratesOf } from "../projection/rates.ts";
import type { ModelBounds } from "../projection/space.ts";
import { hasCacheBreakpoints } from "../session/breakpoints.ts";

/** What is asked of a model of the catalogue. */
interface ModelFacts extends ModelBounds {
  /** The id that the provider knows it by. */
  readonly apiId: string;
}

/** The host's model, as its hooks and its catalogue have it. */
interface HostModel {
  readonly api: { readonly id: string; readonly npm?: string };
  /** In US dollars per million tokens; zeros: not known. */
  readonly cost?: {
    readonly input: number;
    readonly cache?: { readonly read: number; readonly write: number };
  };
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
    const { id: apiId, npm = "" } = model.api;
    const marked = hasCacheBreakpoints({ providerId, modelId, apiId, npm });
    const rates = ratesOf({
      input: model.cost?.input ?? 0,
      cacheRead: model.cost?.cache?.read ?? 0,
      cacheWrite: model.cost?.cache?.write ?? 0,
      caching: marked ? "breakpoints" : "automatic",
    });
    this.#facts.set(`${providerId}/${modelId}`, { apiId, limits, rates });
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
