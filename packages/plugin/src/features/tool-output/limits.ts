// The limits of one result, and whether a text fits.
import type { OutputLimits } from "../../feature-api/feature-context.ts";

/** The host's own, where its config names none. */
export const hostDefaultLimits: OutputLimits = { maxLines: 2000, maxBytes: 51_200 };

/** The stricter of both in each respect. */
export function combineLimits(one: OutputLimits, other: OutputLimits): OutputLimits {
  return {
    maxLines: Math.min(one.maxLines, other.maxLines),
    maxBytes: Math.min(one.maxBytes, other.maxBytes),
  };
}

/** Reads no more than `maxBytes` of the text. */
export function fitsLimits(text: string, { maxLines, maxBytes }: OutputLimits): boolean {
  // Each code unit takes at least a byte.
  if (text.length > maxBytes || byteLength(text) > maxBytes) return false;
  return countLines(text) <= maxLines;
}

/** UTF-8 bytes; a lone surrogate counts as the replacement character that it is written as. */
export function byteLength(text: string): number {
  // Bun 1.3.14 on some processors counts a lone surrogate as two bytes, and writes three.
  return Buffer.byteLength(text.toWellFormed(), "utf8");
}

export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}
