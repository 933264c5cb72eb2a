// The catalogue of OpenCode 2: windows and prices for the kernel, and a small model for jobs.
import { findSmallModel } from "../jobs/small-model.ts";
import type { ListedModel } from "../runtime/host.ts";
import { hasCacheBreakpoints, type ModelIdentity } from "../session/session-sources.ts";
import type { Price } from "../session/turn-cost.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { V2Context, V2Model } from "./context.ts";

/** The longest wait for the list, which counts as missing after that. */
const LIST_TIMEOUT_MS = 2_000;

/** The share of the window that counts as usable: decisions here come before the host's own compaction. */
const COMPACTION_WINDOW_SHARE = 0.9;
const COMPACTION_RESERVE_TOKENS = 16_000;

type V2ModelName = Pick<V2Model, "providerID" | "id">;

export class V2Models {
  #asked: Promise<readonly V2Model[]> | null = null;
  readonly #known = new Map<string, V2Model>();

  /** `host` is undefined on the beta, where nothing is under pressure. */
  constructor(private readonly host: V2Context["model"]) {}

  async list(): Promise<readonly ListedModel[]> {
    return (await this.#readAll()).map((model) => {
      const { providerID: providerId, id: modelId, modelID = modelId, cost = [], limit } = model;
      const [price] = cost;
      return {
        providerId,
        modelId,
        model: {
          api: { id: modelID },
          ...(price && { cost: price }),
          ...(limit && { limit: { ...limit, input: computePromptTokens(limit) } }),
        },
      };
    });
  }

  /** Returns the small model as `provider/model`; null if the provider has no known one. */
  async findSmall(providerId: string): Promise<string | null> {
    const own = (await this.#readAll()).filter(({ providerID }) => providerID === providerId);
    const dated = own.map(({ id, family, time }) => {
      // This text decides which model of a family is the newest.
      return { id, family, release_date: String(time?.released ?? 0).padStart(16, "0") };
    });
    return findSmallModel(providerId, dated);
  }

  resolveIdentity({ providerID, id }: V2ModelName): ModelIdentity {
    const { modelID = id } = this.#known.get(`${providerID}/${id}`) ?? {};
    return { providerId: providerID, modelId: id, apiId: modelID, npm: "" };
  }

  /** Returns null until the list has arrived, or if it has no price. */
  findPrice(model: V2ModelName): Price | null {
    const [cost] = this.#known.get(`${model.providerID}/${model.id}`)?.cost ?? [];
    if (!cost) return null;
    return {
      input: cost.input,
      output: cost.output,
      cacheRead: cost.cache.read,
      cacheWrite: cost.cache.write,
      caching: hasCacheBreakpoints(this.resolveIdentity(model)) ? "breakpoints" : "automatic",
    };
  }

  #readAll(): Promise<readonly V2Model[]> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  async #ask(): Promise<readonly V2Model[]> {
    if (typeof this.host?.list !== "function") return [];
    const listed = await withTimeout(LIST_TIMEOUT_MS, this.host.list(), () => []);
    const models = "data" in listed ? listed.data : listed;
    for (const model of models) this.#known.set(`${model.providerID}/${model.id}`, model);
    return models;
  }
}

function computePromptTokens({
  context,
  input,
}: NonNullable<V2Model["limit"]>): number | undefined {
  if (context <= 0) return input;
  const beforeCompaction = Math.min(
    COMPACTION_WINDOW_SHARE * context,
    context - COMPACTION_RESERVE_TOKENS,
  );
  const most = Math.max(Math.floor(beforeCompaction), Math.ceil(context / 2));
  return input === undefined || input <= 0 ? most : Math.min(input, most);
}
