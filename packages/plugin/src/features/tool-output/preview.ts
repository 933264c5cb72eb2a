// Renders a text as its head and tail around a marker.
import type { OutputLimits, OutputPlace } from "../../feature-api/feature-context.ts";
import { byteLength, fitsLimits } from "./limits.ts";

// Cuts a text's head and tail to a share of the limit, in whole lines if that costs little.

/** A piece of a text, with its size. */
interface TextCut {
  readonly text: string;
  readonly bytes: number;
  /** The lines that the piece occupies; in a head, a final line end does not start another line. */
  readonly lines: number;
}

const NEWLINE = 10;

/**
 * Cuts as much of a text's beginning as stays within the share, in whole code points. The cut is at the end
 * of a line if that costs at most half of what fits: `10 failed` must not turn into `10`.
 */
export function cutHead(text: string, share: OutputLimits): TextCut {
  let end = 0;
  let bytes = 0;
  let newlines = 0;
  let wholeEnd = 0;
  let wholeBytes = 0;
  while (end < text.length && newlines < share.maxLines) {
    const code = text.charCodeAt(end);
    const units = isSurrogatePair(code, text.charCodeAt(end + 1)) ? 2 : 1;
    const width = units === 2 ? 4 : countUtf8Bytes(code);
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

/** Cuts as much of a text's end as stays within the share, by the same rules. */
export function cutTail(text: string, share: OutputLimits): TextCut {
  if (share.maxLines < 1) return { text: "", bytes: 0, lines: 0 };
  let start = text.length;
  let bytes = 0;
  let newlines = 0;
  let whole: TextCut = { text: "", bytes: 0, lines: 1 };
  while (start > 0) {
    const code = text.charCodeAt(start - 1);
    if (code === NEWLINE) {
      whole = { text: text.slice(start), bytes, lines: newlines + 1 };
      if (newlines + 2 > share.maxLines) return whole;
    }
    const units = isSurrogatePair(text.charCodeAt(start - 2), code) ? 2 : 1;
    const width = units === 2 ? 4 : countUtf8Bytes(code);
    if (bytes + width > share.maxBytes) break;
    if (code === NEWLINE) newlines += 1;
    bytes += width;
    start -= units;
  }
  if (start > 0 && whole.bytes * 2 >= bytes) return whole;
  return { text: text.slice(start), bytes, lines: newlines + 1 };
}

/** Matches a high surrogate with its low one; NaN, which stands beyond the text's ends, is neither. */
function isSurrogatePair(first: number, second: number): boolean {
  return first >= 0xd800 && first < 0xdc00 && second >= 0xdc00 && second < 0xe000;
}

function countUtf8Bytes(code: number): number {
  if (code < 0x80) return 1;
  return code < 0x800 ? 2 : 3;
}

/** What a preview needs of a text: `head` and `tail` are the ends of a file, or both hold the whole text. */
export interface PreviewText {
  /** The beginning of the text, at least as much as the limit allows. */
  readonly head: string;
  /** The end of the text, at least as much as the limit allows. */
  readonly tail: string;
  readonly totalBytes: number;
}

/** The fate of the complete text: kept in a file, or lost. */
export type OutputRetention =
  | {
      readonly kind: "kept";
      readonly path: string;
      readonly howToRead: OutputPlace["howToRead"];
    }
  /** The text could not be stored, so the part that the preview leaves out is lost. */
  | { readonly kind: "lost" };

export function toPreviewText(text: string): PreviewText {
  return { head: text, tail: text, totalBytes: byteLength(text) };
}

/**
 * Returns the head and tail of a text that is over the limit, around a marker and within the limit. If the
 * marker alone is over the limit, returns as much of the marker as fits.
 */
export function renderPreview(
  sides: PreviewText,
  limits: OutputLimits,
  keeping: OutputRetention,
): string {
  const { head: from, tail: to, totalBytes } = sides;
  // The marker's numbers have at most as many digits as these; the head takes half of the lines.
  const reserved = byteLength(renderMarker(keeping, totalBytes, limits.maxLines));
  const textBytes = limits.maxBytes - reserved - MARKER_LINE_BREAKS;
  const lines = limits.maxLines - 1;
  if (textBytes < 0) return cutMarker(keeping, totalBytes, limits);
  const head = cutHead(from, {
    maxLines: Math.ceil(lines / 2),
    maxBytes: Math.ceil(textBytes / 2),
  });
  const tail = cutTail(to, { maxLines: lines - head.lines, maxBytes: textBytes - head.bytes });
  const whole = head.text === "" || head.text.endsWith("\n");
  const line = head.lines + (whole ? 1 : 0);
  const marker = renderMarker(keeping, totalBytes - head.bytes - tail.bytes, line);
  return `${head.text}${whole ? "" : "\n"}${marker}${tail.text === "" ? "" : "\n"}${tail.text}`;
}

/** The line breaks around the marker. */
const MARKER_LINE_BREAKS = 2;

/** Renders the marker. `line` is the first line that is not shown whole, counted from 1. */
function renderMarker(keeping: OutputRetention, bytes: number, line: number): string {
  const cut = `[... ${bytes} bytes from line ${line} on are not shown here`;
  switch (keeping.kind) {
    case "kept":
      return `${cut}. Full output saved to: ${keeping.path} (${keeping.howToRead(keeping.path)}) ...]`;
    case "lost":
      return `${cut}, and are lost: the full output could not be stored. If you need them, ask for less at a time ...]`;
  }
}

function cutMarker(keeping: OutputRetention, totalBytes: number, limits: OutputLimits): string {
  const said = renderMarker(keeping, totalBytes, 1);
  return fitsLimits(said, limits) ? said : cutHead(said, { ...limits, maxLines: 1 }).text;
}
