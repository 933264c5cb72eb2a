// Prices of tokens by what the cache did with them.

/** Input tokens of one call, by what they cost. */
export interface Usage {
  /** Neither read from the cache nor written to it. */
  readonly inputTokens: number;
  readonly writeTokens: number;
  readonly readTokens: number;
  readonly outputTokens: number;
}

/** Price of an input token, relative to an uncached one. */
export interface Rates {
  readonly input: number;
  readonly write: number;
  readonly read: number;
}

/** How a provider finds cached prefixes: at markers in the request, or by itself. */
export type Caching = "breakpoints" | "automatic";

export const RATES: Readonly<Record<Caching, Rates>> = {
  breakpoints: { input: 1, write: 1.25, read: 0.1 },
  automatic: { input: 1, write: 1, read: 0.1 },
};

export function promptTokens(usage: Usage): number {
  return usage.inputTokens + usage.writeTokens + usage.readTokens;
}

/** What the prompt of one call costs, in equivalents of an uncached input token. Output is not in it. */
export function computePromptBill(usage: Usage, rates: Rates): number {
  return (
    usage.inputTokens * rates.input +
    usage.writeTokens * rates.write +
    usage.readTokens * rates.read
  );
}
