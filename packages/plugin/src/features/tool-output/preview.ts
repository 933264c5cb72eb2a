// A text as its head and tail around a marker.

import type { OutputLimits, OutputPlace } from "../../feature-api/feature-context.ts";
import { cutHead, cutTail } from "./cut.ts";
import { byteLength, fitsLimits } from "./limits.ts";

/** A text as far as a preview needs it: all of it twice, or the ends of a file. */
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
  /** The text could not be stored: the part that the preview leaves out is lost. */
  | { readonly kind: "lost" };

export function toSides(text: string): PreviewText {
  return { head: text, tail: text, totalBytes: byteLength(text) };
}

/**
 * A text that is over the limit as its head and tail around a marker, together within the limit.
 * Where the marker alone is over it, as much of the marker as fits.
 */
export function preview(
  sides: PreviewText,
  limits: OutputLimits,
  keeping: OutputRetention,
): string {
  const { head: from, tail: to, totalBytes } = sides;
  // The marker's numbers have at most these digits: the head takes half of the lines.
  const reserved = byteLength(renderMarker(keeping, totalBytes, limits.maxLines));
  const textBytes = limits.maxBytes - reserved - LINE_ENDS;
  const lines = limits.maxLines - 1;
  if (textBytes < 0) return cutMarker(keeping, totalBytes, limits);
  const head = cutHead(from, {
    maxLines: Math.ceil(lines / 2),
    maxBytes: Math.ceil(textBytes / 2),
  });
  const tail = cutTail(to, { maxLines: lines - head.lines, maxBytes: textBytes - head.bytes });
  const whole = head.text === "" || head.text.endsWith("\n");
  const line = head.lines + (whole ? 1 : 0);
  const said = renderMarker(keeping, totalBytes - head.bytes - tail.bytes, line);
  return `${head.text}${whole ? "" : "\n"}${said}${tail.text === "" ? "" : "\n"}${tail.text}`;
}

/** Around the marker. */
const LINE_ENDS = 2;

/** `line` is the first that is not shown whole, counted from 1. */
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
