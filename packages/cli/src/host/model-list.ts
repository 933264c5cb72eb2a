// Reads OpenCode's own list of models on this machine: prices and limits.
import { readFileSync } from "node:fs";
import {
  parseFields,
  toFields,
  type UnknownFields,
} from "@session-runtime/opencode/context/fields";
import {
  type CacheRates,
  computeUsableTokens,
  toRates,
} from "@session-runtime/opencode/ledger/space";
import { hasCacheBreakpoints } from "@session-runtime/opencode/session/session-sources";
import { type Environment, resolvePlaces } from "./places.ts";

export interface ListedModel {
  /** The price of a token of uncached input, in US dollars; null where it is unknown. */
  readonly inputUsd: number | null;
  readonly rates: CacheRates;
  /** The whole window, and the part that a prompt may take; null where it is unknown. */
  readonly window: { readonly tokens: number; readonly usableTokens: number } | null;
}

export type ModelList = (providerId: string, modelId: string) => ListedModel;

/**
 * Reads the list. A model that it lacks has the usual rates, without a price or window, as have all where it can't be
 * read.
 */
export function readModelList(env: Environment): ModelList {
  const list =
    parseFields(tryReadText(env.OPENCODE_MODELS_PATH || resolvePlaces(env).hostModels)) ?? {};
  return (providerId, modelId) => listedModel(toFields(list[providerId]), { providerId, modelId });
}

function listedModel(
  provider: UnknownFields,
  { providerId, modelId }: { readonly providerId: string; readonly modelId: string },
): ListedModel {
  const model = toFields(toFields(provider.models)[modelId]);
  const [cost, limit] = [toFields(model.cost), toFields(model.limit)];
  const npm = String(toFields(model.provider).npm ?? provider.npm ?? "");
  const marked = hasCacheBreakpoints({ providerId, modelId, apiId: modelId, npm });
  const input = toNumber(cost.input);
  const contextTokens = toNumber(limit.context);
  const usable = computeUsableTokens({
    contextTokens,
    inputTokens: toNumber(limit.input) || null,
    outputTokens: toNumber(limit.output),
  });
  return {
    inputUsd: input > 0 ? input / 1_000_000 : null,
    rates: toRates({
      input,
      cacheRead: toNumber(cost.cache_read),
      cacheWrite: toNumber(cost.cache_write),
      caching: marked ? "breakpoints" : "automatic",
    }),
    window: usable === null ? null : { tokens: contextTokens, usableTokens: usable },
  };
}

/** Returns an empty text where there is no file: OpenCode has not fetched a list yet. */
function tryReadText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function toNumber(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
