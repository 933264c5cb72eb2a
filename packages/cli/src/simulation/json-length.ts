// Computes a text's length as JSON, as in requests, without writing it.

/** Maps character codes up to 127 to the extra characters of their escape, such as `\n` or `\u0000`. */
const MORE = Uint8Array.from({ length: 128 }, (_, code) => written(code) - 1);
/** Counts the extra characters of a lone surrogate, which is written as an escape. */
const LONE_MORE = 5;

/** Returns the length that `JSON.stringify` would write, without the quotes. */
export function jsonLength(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) length += MORE[code] ?? 0;
    else if (isLone(code, text, index)) length += LONE_MORE;
  }
  return length;
}

function written(code: number): number {
  return JSON.stringify(String.fromCharCode(code)).length - 2;
}

function isLone(code: number, text: string, index: number): boolean {
  if (isLead(code)) return !isTrail(text.charCodeAt(index + 1));
  return isTrail(code) && !isLead(text.charCodeAt(index - 1));
}

function isLead(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isTrail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
