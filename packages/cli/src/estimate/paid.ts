// Adds up what a session's calls were billed for context, from OpenCode's stored figures.
import { toFields } from "@session-runtime/opencode/context/fields";
import type { HostMessage } from "@session-runtime/opencode/ledger/message";
import type { ListedModel, ModelList } from "../host/model-list.ts";
import { isSummary } from "./skeleton.ts";

/** Holds the bill of a session's context, without the model's answers. */
export interface PaidCalls {
  /** Tokens at the price of uncached input. */
  readonly tokens: number;
  /** The price; null where the list has none for one of the models. */
  readonly usd: number | null;
  /** Counts the calls, except for compactions. */
  readonly calls: number;
  readonly peakTokens: number;
  /** The model of most calls; null where no call was reported. */
  readonly model: (ListedModel & { readonly name: string }) | null;
}

export function measurePaid(messages: readonly HostMessage[], models: ModelList): PaidCalls {
  const used = new Map<string, { calls: number; readonly listed: ListedModel }>();
  let [tokens, usd, calls, peakTokens] = [0, 0, 0, 0];
  for (const message of messages) {
    const { role, providerID, modelID, tokens: reported } = toFields(message.info);
    if (role !== "assistant") continue;
    const usage = usageIn(toFields(reported));
    const prompt = usage.input + usage.read + usage.write;
    if (prompt === 0) continue;
    const name = `${providerID}/${modelID}`;
    const known = used.get(name);
    const listed = known?.listed ?? models(String(providerID), String(modelID));
    used.set(name, { calls: (known?.calls ?? 0) + 1, listed });
    const { rates, inputUsd } = listed;
    const bill = usage.input + usage.read * rates.read + usage.write * rates.write;
    tokens += bill;
    usd += bill * (inputUsd ?? Number.NaN);
    if (isSummary(message)) continue;
    calls += 1;
    peakTokens = Math.max(peakTokens, prompt);
  }
  const most = [...used].reduce<[string, { calls: number; listed: ListedModel }] | null>(
    (best, one) => (best !== null && best[1].calls >= one[1].calls ? best : one),
    null,
  );
  const model = most && { name: most[0], ...most[1].listed };
  return { tokens, usd: Number.isNaN(usd) ? null : usd, calls, peakTokens, model };
}

interface Usage {
  readonly input: number;
  readonly read: number;
  readonly write: number;
}

function usageIn({ input, cache }: Readonly<Record<string, unknown>>): Usage {
  const { read, write } = toFields(cache);
  return { input: toNumber(input), read: toNumber(read), write: toNumber(write) };
}

function toNumber(value: unknown): number {
  return typeof value === "number" && value > 0 ? value : 0;
}
