// OpenCode's own list of models, as it keeps it on this machine: prices and limits.
import { readFileSync } from "node:fs";
import { type Fields, fieldsIn, fieldsOf } from "../../../plugin/src/context/fields.ts";
import { type CacheRates, ratesOf } from "../../../plugin/src/projection/rates.ts";
import { usableTokens } from "../../../plugin/src/projection/space.ts";
import { hasCacheBreakpoints } from "../../../plugin/src/session/breakpoints.ts";
import { type Environment, placesOf } from "./places.ts";

export interface ListedModel {
  /** In US dollars per token of uncached input; null: nobody knows. */
  readonly inputUsd: number | null;
  readonly rates: CacheRates;
  /** The whole window, and what of it a prompt may take; null: nobody knows. */
  readonly window: { readonly tokens: number; readonly usableTokens: number } | null;
}

export type ModelList = (providerId: string, modelId: string) => ListedModel;

/** Of a list that can't be read, and of a model that isn't in it, the usual is taken. */
export function readModelList(env: Environment): ModelList {
  const list = fieldsIn(textOf(env.OPENCODE_MODELS_PATH || placesOf(env).hostModels)) ?? {};
  return (providerId, modelId) => listedModel(fieldsOf(list[providerId]), { providerId, modelId });
}

function listedModel(
  provider: Fields,
  { providerId, modelId }: { readonly providerId: string; readonly modelId: string },
): ListedModel {
  const model = fieldsOf(fieldsOf(provider.models)[modelId]);
  const [cost, limit] = [fieldsOf(model.cost), fieldsOf(model.limit)];
  const npm = String(fieldsOf(model.provider).npm ?? provider.npm ?? "");
  const marked = hasCacheBreakpoints({ providerId, modelId, apiId: modelId, npm });
  const input = numberOf(cost.input);
  const contextTokens = numberOf(limit.context);
  const usable = usableTokens({
    contextTokens,
    inputTokens: numberOf(limit.input) || null,
    outputTokens: numberOf(limit.output),
  });
  return {
    inputUsd: input > 0 ? input / 1_000_000 : null,
    rates: ratesOf({
      input,
      cacheRead: numberOf(cost.cache_read),
      cacheWrite: numberOf(cost.cache_write),
      caching: marked ? "breakpoints" : "automatic",
    }),
    window: usable === null ? null : { tokens: contextTokens, usableTokens: usable },
  };
}

/** Empty where there is none: OpenCode has then asked for no list yet. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
