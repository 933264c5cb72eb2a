// Reads a model's token limit from the error with which a provider refuses a call, and provides it to other features.
import type { FindStatedTokens } from "../../feature-api/extension-points.ts";
import type { FeatureInstance } from "../../feature-api/feature.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import type { SessionId } from "../../storage/records.ts";
import { createLimitStore, type LimitRecord } from "./rewrite-store.ts";

// Parses how many tokens a model accepts, as stated in a provider's refusal.

/** Matches digits, with or without commas between them. */
const TOKENS_PATTERN = "(\\d[\\d,]{0,14})";
const COUNT_PATTERN = "\\d[\\d,]{0,14}";

/** One expression per wording. No expression repeats without a bound, so matching takes linear time. */
const LIMIT_PATTERNS: readonly RegExp[] = [
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum"
  `prompt is too long: ${COUNT_PATTERN} tokens > ${TOKENS_PATTERN} maximum`,
  // Anthropic: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  `exceed context limit: ${COUNT_PATTERN} \\+ ${COUNT_PATTERN} > ${TOKENS_PATTERN}`,
  // OpenAI, OpenRouter, DeepSeek, vLLM: "maximum context length is 128000 tokens"
  `maximum context length (?:is|of) (?:only )?${TOKENS_PATTERN} tokens?`,
  // "exceeds the maximum context length (8192)"
  `maximum context length \\(${TOKENS_PATTERN}(?: tokens?)?\\)`,
  // Mistral: "too large for model with 131072 maximum context length"
  `too large for model with ${TOKENS_PATTERN} maximum context length`,
  // Gemini: "exceeds the maximum number of tokens allowed (1048576)", once without brackets
  `exceeds the maximum number of tokens allowed \\(?${TOKENS_PATTERN}`,
  // xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens"
  `maximum prompt length is ${TOKENS_PATTERN}`,
  // GitHub Copilot: "prompt token count of 135427 exceeds the limit of 128000"
  `(?:prompt|input) token count(?: of ${COUNT_PATTERN})? exceeds the limit of ${TOKENS_PATTERN}`,
  // llama.cpp: "request (5120 tokens) exceeds the available context size (4096 tokens)", or in its body
  `exceeds the available context size \\(${TOKENS_PATTERN} tokens?\\)`,
  `"n_ctx": {0,4}${TOKENS_PATTERN}`,
  // LM Studio: "the model is loaded with context length of only 4096 tokens"
  `context length (?:is|of) only ${TOKENS_PATTERN} tokens?`,
  // SGLang: "is longer than the model's context length (262144 tokens)"
  `longer than the model'?s context length \\(${TOKENS_PATTERN} tokens?\\)`,
  // vLLM: "is longer than the maximum model length of 4096"
  `longer than the maximum model length of ${TOKENS_PATTERN}`,
  // Moonshot: "exceeded model token limit: 262144"
  `exceeded model token limit: ${TOKENS_PATTERN}`,
  // "exceeds the maximum allowed input length of 131072 tokens"
  `maximum allowed input length of ${TOKENS_PATTERN} tokens?`,
  // Docker Model Runner: "but the configured context size is 4096 tokens"
  `configured context size is ${TOKENS_PATTERN} tokens?`,
  // Qwen: "Range of input length should be [1, 129024]"
  `range of input length should be \\[${COUNT_PATTERN}, {0,4}${TOKENS_PATTERN}\\]`,
  // Text Generation Inference, Together: "`inputs` tokens + `max_new_tokens` must be <= 32769"
  `inputs\`? tokens \\+ \`?max_new_tokens\`? must be <= ${TOKENS_PATTERN}`,
].map((form) => new RegExp(form, "i"));

/** Matches limits on an account's traffic, which say nothing about the model. */
const RATE_LIMIT_PATTERN =
  /rate.limit|tokens per (?:min|day|hour)|requests per|quota|too many requests/i;

/** A limit below the minimum could not hold an agent's prompt, and no model accepts more than the maximum. */
const MIN_LIMIT_TOKENS = 1_024;
const MAX_LIMIT_TOKENS = 100_000_000;

/**
 * The part of a refusal that is read. The limit is near the start; later text may quote the prompt and say
 * anything.
 */
const MAX_REFUSAL_CHARS = 4_000;

/** Returns a number of tokens; null if the refusal states no limit or an impossible one. */
export function parseStatedLimit(refusal: string): number | null {
  const text = refusal.slice(0, MAX_REFUSAL_CHARS);
  if (RATE_LIMIT_PATTERN.test(text)) return null;
  for (const form of LIMIT_PATTERNS) {
    const stated = form.exec(text)?.[1];
    if (stated === undefined) continue;
    const tokens = Number(stated.replaceAll(",", ""));
    return tokens >= MIN_LIMIT_TOKENS && tokens <= MAX_LIMIT_TOKENS ? tokens : null;
  }
  return null;
}

/**
 * A stated limit expires after a week, because windows grow and local servers are restarted with larger ones.
 */
const LIMIT_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Holds a limit as read at one version of the database. */
interface CachedLimit {
  readonly version: number;
  readonly limit: LimitRecord | null;
}

interface Model {
  readonly providerId: string;
  readonly modelId: string;
}

/** Holds what the history feature takes from this file: hooks, and the lookup of stated limits. */
interface LimitParts extends Required<Pick<FeatureInstance, "hooks">> {
  readonly statedTokens: FindStatedTokens;
}

export function createLimits({
  database,
  log,
  now,
}: Pick<FeatureContext, "database" | "log" | "now">): LimitParts {
  /** Maps each session to the model of its newest call, because OpenCode 1 doesn't name it in a refusal. */
  const asked = new Map<SessionId, Model>();
  const known = new Map<string, CachedLimit>();
  /**
   * Called at every boundary, which has already checked whether another process has written, so the version
   * is current.
   */
  const findLimit = (providerId: string, modelId: string): LimitRecord | null => {
    const key = `${providerId}/${modelId}`;
    const { seenVersion, store } = database.current();
    const version = seenVersion();
    const read = known.get(key);
    if (read?.version === version) return read.limit;
    const limit = store(createLimitStore).of(providerId, modelId);
    known.set(key, { version, limit });
    return limit;
  };
  return {
    statedTokens(providerId, modelId) {
      const limit = findLimit(providerId, modelId);
      return limit !== null && limit.statedAtMs >= now() - LIMIT_LIFETIME_MS ? limit.tokens : null;
    },
    hooks: {
      sending: ({ sessionId, to, modelId }) =>
        void asked.set(sessionId, { providerId: to.providerId, modelId }),
      /**
       * A compaction may call a different model, which no hook names, so a refusal during it must not be
       * attributed to the model of the call before.
       */
      compacting: async (sessionId) => void asked.delete(sessionId),
      async onEvent(happening) {
        const { kind, sessionId } = happening;
        if (kind === "deleted") asked.delete(sessionId);
        if (kind !== "refused") return;
        const model = happening.model ?? asked.get(sessionId);
        const [tokens] = happening.said.flatMap((text) => parseStatedLimit(text) ?? []);
        if (!model || tokens === undefined) return;
        log.info("limits.stated", { model: `${model.providerId}/${model.modelId}`, tokens });
        await database.ensure();
        database
          .current()
          .store(createLimitStore)
          .put({ ...model, tokens, statedAtMs: now() });
        known.clear();
      },
    },
  };
}
