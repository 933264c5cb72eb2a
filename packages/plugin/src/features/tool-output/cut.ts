// The head and tail of a text within a share, in whole lines where that is cheap.
import type { OutputLimits } from "../../feature-api/feature-context.ts";

/** A piece of a text, with its size. */
interface Cut {
  readonly text: string;
  readonly bytes: number;
  /** Lines that it occupies; a closing line end opens no further one in a head. */
  readonly lines: number;
}

const NEWLINE = 10;

/**
 * The most of a text's beginning that stays within the share, in whole code points. It ends at a
 * line's end where that costs at most half of it: `10 failed` must not turn into `10`.
 */
export function cutHead(text: string, share: OutputLimits): Cut {
  let end = 0;
  let bytes = 0;
  let newlines = 0;
  let wholeEnd = 0;
  let wholeBytes = 0;
  while (end < text.length && newlines < share.maxLines) {
    const code = text.charCodeAt(end);
    const units = isPair(code, text.charCodeAt(end + 1)) ? 2 : 1;
    const width = units === 2 ? 4 : utf8Width(code);
    if (bytes + width > share.maxBytes) break;
    bytes += width;
    end += units;
    if (code !== NEWLINE) continue;
    newlines += 1;
    wholeEnd = end;
    wholeBytes = bytes;
  }
  if (wholeBytes * 2 >= bytes) {
    return { text: text.slice(0, wholeEnd), bytes: wholeBytes, lines: newlines };
  }
  return { text: text.slice(0, end), bytes, lines: newlines + 1 };
}

/** The most of a text's end that stays within the share, by the same rules. */
export function cutTail(text: string, share: OutputLimits): Cut {
  if (share.maxLines < 1) return { text: "", bytes: 0, lines: 0 };
  let start = text.length;
  let bytes = 0;
  let newlines = 0;
  let whole: Cut = { text: "", bytes: 0, lines: 1 };
  while (start > 0) {
    const code = text.charCodeAt(start - 1);
    if (code === NEWLINE) {
      whole = { text: text.slice(start), bytes, lines: newlines + 1 };
      if (newlines + 2 > share.maxLines) return whole;
    }
    const units = isPair(text.charCodeAt(start - 2), code) ? 2 : 1;
    const width = units === 2 ? 4 : utf8Width(code);
    if (bytes + width > share.maxBytes) break;
    if (code === NEWLINE) newlines += 1;
    bytes += width;
    start -= units;
  }
  if (start > 0 && whole.bytes * 2 >= bytes) return whole;
  return { text: text.slice(start), bytes, lines: newlines + 1 };
}

/** A high surrogate with its low one; NaN, beyond the text's ends, is neither. */
function isPair(first: number, second: number): boolean {
  return first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
}

function utf8Width(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : 3;
}
