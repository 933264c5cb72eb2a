// Last good copies of instruction URLs, refreshed in the background.
import { Sampler } from "./sampler.ts";
import { bytesToRead, decode, defaultLimitBytes, limitText } from "./text-limit.ts";

/** Gets the bytes of an address, at most `maxBytes`; null where there is no good answer. May throw. */
type FetchBytes = (
  url: string,
  limits: { readonly timeoutMs: number; readonly maxBytes: number },
) => Promise<Uint8Array | null>;

interface UrlCacheOptions {
  readonly fetchBytes: FetchBytes;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  readonly limitBytes: number;
  /** What the host itself waits. */
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
 * Last good copies of instruction addresses. Only the first look at an address waits for the network;
 * later ones give the copy at once and refresh it afterwards, at most once a `refreshMs`. Never throws.
 */
export class UrlCache {
  readonly #samplers = new Map<string, Sampler<string | null>>();

  constructor(private readonly options: UrlCacheOptions = urlCacheDefaults) {}

  get limitBytes(): number {
    return this.options.limitBytes;
  }

  /** The last good copy, or null where there never was one. */
  observe(url: string): Promise<string | null> {
    const { now, refreshMs } = this.options;
    const known = this.#samplers.get(url);
    const sampler =
      known ?? new Sampler({ now, refreshMs, ask: (last) => this.#fetched(url, last) });
    this.#samplers.set(url, sampler);
    return sampler.load();
  }

  async #fetched(url: string, last: string | null): Promise<string | null> {
    const { fetchBytes, limitBytes, timeoutMs } = this.options;
    const maxBytes = bytesToRead(limitBytes);
    // Whatever goes wrong out there, the last good copy stands.
    const bytes = await fetchBytes(url, { timeoutMs, maxBytes }).catch(() => null);
    return bytes === null ? last : limitText(decode(bytes), limitBytes);
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
