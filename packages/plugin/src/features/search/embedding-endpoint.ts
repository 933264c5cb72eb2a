// Makes one call to an endpoint for embeddings.
import { type EmbeddingResult, fault, malformedResult, readAnswer } from "./embedding-answer.ts";

interface EndpointDeps {
  /** The address up to `/v1`, or with its `/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** It is null if the endpoint needs no key. */
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

/** Never rejects. */
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
      return fault(classifyResponse(answer.status, answer.headers.get("retry-after")));
    }
    const text = await readBounded(answer);
    if (text === null) return malformedResult("it is too long");
    return readAnswer(text, { model, count: texts.length, dimensions });
  } catch (error) {
    if (late.aborted) return fault({ kind: "timeout" });
    return fault({ kind: "unreachable", why: errorCode(error) });
  }
}

export function toEndpointUrl(url: string): string {
  const base = url.replace(/\/+$/, "");
  return base.endsWith("/embeddings") ? base : `${base}/embeddings`;
}

const TOO_EARLY_OR_MANY: ReadonlySet<number> = new Set([408, 425, 429]);
const MAX_WAIT_MS = 60_000;

function classifyResponse(status: number, retryAfter: string | null) {
  if (status < 500 && !TOO_EARLY_OR_MANY.has(status)) return { kind: "refused", status } as const;
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter);
  const waitMs = seconds >= 0 ? Math.min(seconds * 1000, MAX_WAIT_MS) : null;
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

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if ("code" in error && typeof error.code === "string") return error.code;
  // Node's fetch only reports that it failed, and keeps the reason in `cause`.
  return error.cause instanceof Error ? errorCode(error.cause) : error.name;
}
