// Calls an endpoint for embeddings, retries where that may help, and pauses where it doesn't.
import {
  type EmbeddingFault,
  type EmbeddingResult,
  parseAnswer,
  toFaultResult,
  toMalformedResult,
  type Vector,
} from "./embedding-answer.ts";

// Makes one call to an endpoint for embeddings.

interface EndpointDeps {
  /** The endpoint's address, either up to `/v1` or including `/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** The endpoint's key; null if it needs none. */
  readonly key: string | null;
}

interface EndpointCall {
  readonly texts: readonly string[];
  /** The length of the model's earlier vectors; null if none are known. */
  readonly dimensions: number | null;
  readonly timeoutMs: number;
  readonly stop: AbortSignal;
}

/** The largest answer that is read; 64 texts of 16,384 numbers each take less. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** Asks the endpoint once for the vectors of these texts. Never rejects. */
export async function embed(
  { url, model, key }: EndpointDeps,
  { texts, dimensions, timeoutMs, stop }: EndpointCall,
): Promise<EmbeddingResult> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await fetch(toEndpointUrl(url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
      // A redirect is an error: texts go to the configured address and nowhere else.
      redirect: "error",
      signal: AbortSignal.any([late, stop]),
    });
    if (!answer.ok) {
      await answer.body?.cancel();
      return toFaultResult(classifyResponse(answer.status, answer.headers.get("retry-after")));
    }
    const text = await readBounded(answer);
    if (text === null) return toMalformedResult("it is too long");
    return parseAnswer(text, { model, count: texts.length, dimensions });
  } catch (error) {
    if (late.aborted) return toFaultResult({ kind: "timeout" });
    return toFaultResult({ kind: "unreachable", why: toErrorCode(error) });
  }
}

export function toEndpointUrl(url: string): string {
  const base = url.replace(/\/+$/, "");
  return base.endsWith("/embeddings") ? base : `${base}/embeddings`;
}

const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);
const MAX_RETRY_WAIT_MS = 60_000;

function classifyResponse(status: number, retryAfter: string | null) {
  if (status < 500 && !RETRYABLE_STATUSES.has(status)) return { kind: "refused", status } as const;
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const waitMs = seconds >= 0 ? Math.min(seconds * 1000, MAX_RETRY_WAIT_MS) : null;
  return { kind: "busy", status, waitMs } as const;
}

/** Returns null if the answer is longer than any valid one. */
async function readBounded(answer: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function toErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node's fetch only reports that it failed, and keeps the reason in `cause`.
  return error.cause instanceof Error ? toErrorCode(error.cause) : error.name;
}

interface EmbeddingCallerDeps {
  readonly embed: (
    texts: readonly string[],
    dimensions: number | null,
    timeoutMs: number,
  ) => Promise<EmbeddingResult>;
  /** The timeout of one call in the background. */
  readonly timeoutMs: number;
  /** Called when the endpoint is left alone for a while. */
  readonly leftAlone: (fault: EmbeddingFault) => void;
  /** Called when the endpoint has answered as it should. */
  readonly answered: () => void;
  readonly wait: (ms: number) => Promise<void>;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
}

/** `left alone` means that the endpoint was not called, because it has failed too often. */
type EmbeddingOutcome = EmbeddingResult | { readonly kind: "left alone" };

const RETRY_WAITS_MS = [1_000, 5_000];
const MAX_FAILURES = 3;
const ENDPOINT_COOLDOWN_MS = 15 * 60_000;
/** After this time a search goes on by words alone. */
const QUERY_TIMEOUT_MS = 2_000;

export class EmbeddingCaller {
  #failures = 0;
  #aloneUntilMs = 0;

  constructor(private readonly deps: EmbeddingCallerDeps) {}

  get isAlone(): boolean {
    return this.deps.now() < this.#aloneUntilMs;
  }

  /** Embeds in the background, with retries and waits between them. */
  async embedTexts(texts: readonly string[], dimensions: number | null): Promise<EmbeddingOutcome> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.isAlone) return { kind: "left alone" };
      const outcome = await this.deps.embed(texts, dimensions, this.deps.timeoutMs);
      if (outcome.kind === "vectors") return this.#recordSuccess(outcome);
      const waitMs = RETRY_WAITS_MS[attempt];
      if (waitMs === undefined || !isTransient(outcome.fault))
        return this.#recordFailure(outcome.fault);
      const { fault } = outcome;
      const asked = fault.kind === "busy" ? fault.waitMs : null;
      await this.deps.wait(Math.max(waitMs, asked ?? 0));
    }
  }

  /** Makes one short call while a model waits for it. Returns null if no vector can be had now. */
  async query(text: string, dimensions: number): Promise<Vector | null> {
    if (this.isAlone) return null;
    const timeoutMs = Math.min(QUERY_TIMEOUT_MS, this.deps.timeoutMs);
    const outcome = await this.deps.embed([text], dimensions, timeoutMs);
    if (outcome.kind === "fault") {
      this.#recordFailure(outcome.fault);
      return null;
    }
    this.#recordSuccess(outcome);
    return outcome.vectors[0] ?? null;
  }

  #recordSuccess(outcome: EmbeddingOutcome): EmbeddingOutcome {
    this.#failures = 0;
    this.deps.answered();
    return outcome;
  }

  #recordFailure(fault: EmbeddingFault): EmbeddingOutcome {
    this.#failures += 1;
    if (this.#failures >= MAX_FAILURES || isPermanent(fault)) {
      this.#failures = 0;
      this.#aloneUntilMs = this.deps.now() + ENDPOINT_COOLDOWN_MS;
      this.deps.leftAlone(fault);
    }
    return { kind: "fault", fault };
  }
}

function isTransient({ kind }: EmbeddingFault): boolean {
  switch (kind) {
    case "unreachable":
    case "timeout":
    case "busy":
    case "malformed":
      return true;
    case "refused":
    case "model":
    case "dimensions":
      return false;
  }
}

/** These statuses don't depend on the texts: a wrong address, key or model stays wrong. */
const WRONG_SETTINGS_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 405]);

function isPermanent(fault: EmbeddingFault): boolean {
  if (fault.kind === "refused") return WRONG_SETTINGS_STATUSES.has(fault.status);
  return fault.kind === "model" || fault.kind === "dimensions";
}

/** Puts the fault in a sentence, for the log and the notice. */
export function describeFault(fault: EmbeddingFault, model: string): string {
  switch (fault.kind) {
    case "unreachable":
      return `can't be reached (${fault.why})`;
    case "timeout":
      return "does not answer in time";
    case "busy":
      return `answers with ${fault.status}`;
    case "refused":
      return `refuses the call (${fault.status})`;
    case "malformed":
      return `gives an unusable answer: ${fault.why}`;
    case "model":
      return `answers with the model ${fault.served.slice(0, 80)}, not ${model}`;
    case "dimensions":
      return `gives vectors of ${fault.given} numbers, where ${model} had ${fault.known} before`;
  }
}
