// Collects facts about the endpoint for embeddings, which is asked once with a short timeout.
import type { Config } from "@session-runtime/opencode/config/schema";
import { selectSettings } from "@session-runtime/opencode/feature-api/settings";
import type { EmbeddingResult } from "@session-runtime/opencode/features/search/embedding-answer";
import { embed } from "@session-runtime/opencode/features/search/embedding-caller";
import { recallSettings, vectorSettings } from "@session-runtime/opencode/features/search/settings";
import type { Environment } from "../../host/places.ts";

export type VectorsFacts =
  | { readonly kind: "none" }
  | {
      readonly kind: "set";
      /** The endpoint's host, without anything that may be a password. */
      readonly host: string;
      readonly model: string;
      /** The variable that should hold the endpoint's key but is unset; null where it is set, or none is needed. */
      readonly unsetVariable: string | null;
      /** The endpoint's answer; null where it was not asked, because the model or the key is missing. */
      readonly answer: EmbeddingResult | null;
    };

const PATIENCE_MS = 3_000;
const QUESTION = "Does this endpoint answer?";

export async function vectorsFacts(config: Config, env: Environment): Promise<VectorsFacts> {
  const { url, model, apiKeyEnv } = selectSettings(config, vectorSettings);
  if (url === "" || !selectSettings(config, recallSettings).enabled) return { kind: "none" };
  const key = env[apiKeyEnv] || null;
  const unsetVariable = apiKeyEnv !== "" && key === null ? apiKeyEnv : null;
  const set = { kind: "set", host: new URL(url).host, model, unsetVariable } as const;
  if (model === "" || unsetVariable !== null) return { ...set, answer: null };
  const stop = new AbortController().signal;
  const call = { texts: [QUESTION], dimensions: null, timeoutMs: PATIENCE_MS, stop };
  return { ...set, answer: await embed({ url, model, key }, call) };
}
