// Keeps the last good copies of instruction URLs, refreshed in the background.
import { countBytesToRead, decodeUtf8, defaultLimitBytes, limitText } from "./read-file.ts";

// A value that is refreshed in the background when it is old.

interface SamplerOptions<Value> {
  /** The value counts as old after this time; with 0 each load refreshes it and waits. */
  readonly refreshMs: number;
  /** Reads a clock in milliseconds; only differences count. */
  readonly now: () => number;
  /** Produces the next value from the last one, which is null at first. Never rejects. */
  readonly ask: (last: Value | null) => Promise<Value>;
}

/**
 * Holds the last value. A load that finds it older than `refreshMs` starts a refresh and returns the old
 * value, so that no model call waits. Only the very first load waits, or every load if `refreshMs` is 0.
 * Refreshes never overlap.
 */
export class Sampler<Value> {
  #last: { readonly value: Value } | null = null;
  #asking: Promise<Value> | null = null;
  #askedAtMs = 0;

  constructor(private readonly options: SamplerOptions<Value>) {}

  load(): Promise<Value> {
    const { now, refreshMs } = this.options;
    if (this.#last === null || refreshMs === 0) return this.#refresh();
    // A clock that was set back makes the value old, too.
    if (Math.abs(now() - this.#askedAtMs) >= refreshMs) void this.#refresh();
    return Promise.resolve(this.#last.value);
  }

  #refresh(): Promise<Value> {
    this.#asking ??= this.#ask();
    return this.#asking;
  }

  async #ask(): Promise<Value> {
    this.#askedAtMs = this.options.now();
    const value = await this.options.ask(this.#last?.value ?? null);
    this.#last = { value };
    this.#asking = null;
    return value;
  }
}

/** Fetches at most `maxBytes` of an address; null if there is no good answer. May throw. */
type FetchBytes = (
  url: string,
  limits: { readonly timeoutMs: number; readonly maxBytes: number },
) => Promise<Uint8Array | null>;

interface UrlCacheOptions {
  readonly fetchBytes: FetchBytes;
  /** Reads a clock in milliseconds; only differences count. */
  readonly now: () => number;
  readonly limitBytes: number;
  /** The host's own timeout. */
  readonly timeoutMs: number;
  readonly refreshMs: number;
}

export const urlCacheDefaults: UrlCacheOptions = {
  fetchBytes: fetchOverHttp,
  now: () => performance.now(),
  limitBytes: defaultLimitBytes,
  timeoutMs: 5_000,
  refreshMs: 60_000,
};

/**
 * Caches last good copies of instruction addresses. Only the first observation of an address waits for the
 * network; later ones return the copy at once and refresh it afterwards, at most once per `refreshMs`. Never
 * throws.
 */
export class UrlCache {
  readonly #samplers = new Map<string, Sampler<string | null>>();

  constructor(private readonly options: UrlCacheOptions = urlCacheDefaults) {}

  get limitBytes(): number {
    return this.options.limitBytes;
  }

  /** Returns the last good copy, or null if there never was one. */
  observe(url: string): Promise<string | null> {
    const { now, refreshMs } = this.options;
    const known = this.#samplers.get(url);
    const sampler =
      known ?? new Sampler({ now, refreshMs, ask: (last) => this.#fetchText(url, last) });
    this.#samplers.set(url, sampler);
    return sampler.load();
  }

  async #fetchText(url: string, last: string | null): Promise<string | null> {
    const { fetchBytes, limitBytes, timeoutMs } = this.options;
    const maxBytes = countBytesToRead(limitBytes);
    // The last good copy stays whatever fails here.
    const bytes = await fetchBytes(url, { timeoutMs, maxBytes }).catch(() => null);
    return bytes === null ? last : limitText(decodeUtf8(bytes), limitBytes);
  }
}

async function fetchOverHttp(
  url: string,
  { timeoutMs, maxBytes }: { readonly timeoutMs: number; readonly maxBytes: number },
): Promise<Uint8Array | null> {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    return null;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the rest of the download.
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
