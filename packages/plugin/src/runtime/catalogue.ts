// Keeps the facts of the host's models, which are learned from calls or by asking the host once.
import { type ModelSpec, toRates } from "../ledger/space.ts";
import { hasCacheBreakpoints } from "../session/session-sources.ts";
import type { Host, HostModel } from "./host.ts";

/** Holds a model's facts from the catalogue. */
interface ModelFacts extends ModelSpec {
  /** The id by which the provider knows the model. */
  readonly apiId: string;
}

export class ModelCatalogue {
  readonly #facts = new Map<string, ModelFacts>();
  #asked: Promise<void> | null = null;

  constructor(private readonly list: Host["models"]) {}

  learn(providerId: string, modelId: string, model: HostModel): void {
    const { context = 0, input = null, output = 0 } = model.limit ?? {};
    const limits = { contextTokens: context, inputTokens: input, outputTokens: output };
    const { id: apiId, npm = "" } = model.api;
    const marked = hasCacheBreakpoints({ providerId, modelId, apiId, npm });
    const rates = toRates({
      input: model.cost?.input ?? 0,
      cacheRead: model.cost?.cache?.read ?? 0,
      cacheWrite: model.cost?.cache?.write ?? 0,
      caching: marked ? "breakpoints" : "automatic",
    });
    this.#facts.set(`${providerId}/${modelId}`, { apiId, limits, rates });
  }

  /** Returns a model's facts; null if the catalogue has no such model. */
  findFacts(providerId: string, modelId: string): ModelFacts | Promise<ModelFacts | null> {
    const key = `${providerId}/${modelId}`;
    return this.#facts.get(key) ?? this.#fetchFacts(key);
  }

  async #fetchFacts(key: string): Promise<ModelFacts | null> {
    this.#asked ??= this.#loadModels();
    await this.#asked;
    return this.#facts.get(key) ?? null;
  }

  async #loadModels(): Promise<void> {
    for (const { providerId, modelId, model } of await this.list()) {
      this.learn(providerId, modelId, model);
    }
  }
}
