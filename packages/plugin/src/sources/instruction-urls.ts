// Last good copies of instruction URLs, refreshed in the background.
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

interface Entry {
  /** The last good copy; null before the first. */
  content: string | null;
  askedAt: number;
  first: Promise<void>;
  running: "yes" | "no";
}

/**
 * Last good copies of instruction addresses. Only the first look at an address waits for the network;
 * later ones give the copy at once and refresh it afterwards, at most once a `refreshMs`. Never throws.
 */
export class UrlCache {
  readonly #options: UrlCacheOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: UrlCacheOptions = urlCacheDefaults) {
    this.#options = options;
  }

  get limitBytes(): number {
    return this.#options.limitBytes;
  }

  /** The last good copy, or null where there never was one. */
  async observe(url: string): Promise<string | null> {
    let entry = this.#entries.get(url);
    if (entry === undefined) {
      entry = { content: null, askedAt: 0, first: Promise.resolve(), running: "no" };
      this.#entries.set(url, entry);
      entry.first = this.#refresh(url, entry);
    } else if (this.#options.now() - entry.askedAt >= this.#options.refreshMs) {
      void this.#refresh(url, entry);
    }
    await entry.first;
    return entry.content;
  }

  async #refresh(url: string, entry: Entry): Promise<void> {
    if (entry.running === "yes") return;
    entry.running = "yes";
    const { fetchBytes, limitBytes, now, timeoutMs } = this.#options;
    entry.askedAt = now();
    const maxBytes = bytesToRead(limitBytes);
    // Whatever goes wrong out there, the last good copy stands.
    const bytes = await fetchBytes(url, { timeoutMs, maxBytes }).catch(() => null);
    if (bytes !== null) entry.content = limitText(decode(bytes), limitBytes);
    entry.running = "no";
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
