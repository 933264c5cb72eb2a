// Defines the limits of one result, and tests whether a text fits.
import type { OutputLimits } from "../../feature-api/feature-context.ts";

/** The host's own limits, which apply if its config names none. */
export const hostDefaultLimits: OutputLimits = { maxLines: 2000, maxBytes: 51_200 };

/** Combines two limits into the stricter one in each respect. */
export function combineLimits(one: OutputLimits, other: OutputLimits): OutputLimits {
  return {
    maxLines: Math.min(one.maxLines, other.maxLines),
    maxBytes: Math.min(one.maxBytes, other.maxBytes),
  };
}

/** Says whether a text is within the limits. Reads no more than `maxBytes` of it. */
export function fitsLimits(text: string, { maxLines, maxBytes }: OutputLimits): boolean {
  // Each code unit takes at least a byte.
  if (text.length > maxBytes || byteLength(text) > maxBytes) return false;
  return countLines(text) <= maxLines;
}

/** Counts UTF-8 bytes; a lone surrogate counts as the replacement character that is written for it. */
export function byteLength(text: string): number {
  // On some processors Bun 1.3.14 counts a lone surrogate as two bytes but writes three.
  return Buffer.byteLength(text.toWellFormed(), "utf8");
}

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
