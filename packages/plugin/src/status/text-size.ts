// Measures a text in bytes and estimated tokens.
import { BYTES_PER_TOKEN } from "../ledger/tokens.ts";

/** The size of a text. */
export interface TextSize {
  /** Bytes in UTF-8. */
  readonly bytes: number;
  /** An estimate: four bytes to a token. */
  readonly approxTokens: number;
}

const encoder = new TextEncoder();

export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

export function textSize(bytes: number): TextSize {
  return { bytes, approxTokens: Math.ceil(bytes / BYTES_PER_TOKEN) };
}
