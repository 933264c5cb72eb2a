// Decodes a text as the host does, and cuts it at a limit with a note.

/** Limits the text of one file or address in the context, in UTF-8 bytes. */
export const defaultLimitBytes = 1_048_576;

/**
 * Returns how many bytes to read so that `decode` and `limitText` give the same result as for the whole text:
 * a code point that is cut off at their end, and a BOM at their beginning, lie beyond the limit.
 */
export function bytesToRead(limitBytes: number): number {
  return limitBytes + 8;
}

/** Decodes as the host does: a BOM is dropped, and invalid UTF-8 becomes U+FFFD. */
export function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Cuts a text at the last code point within the limit and notes it; depends on text and limit only. */
export function limitText(text: string, limitBytes: number): string {
  // A UTF-16 unit needs at most three bytes.
  if (text.length * 3 <= limitBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes));
  if (read === text.length) return text;
  // Bun 1.3.14 gives half a pair where it has exactly three bytes left.
  const end = (text.codePointAt(read - 1) ?? 0) > 0xffff ? read - 1 : read;
  return `${text.slice(0, end)}\n[Cut here: the rest, after ${limitBytes} bytes, is left out.]`;
}
