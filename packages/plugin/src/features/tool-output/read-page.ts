// A page of the read tool with as many lines as fit.
import { toFields } from "../../context/fields.ts";
import type { OutputLimits } from "../../feature-api/feature-context.ts";
import { fitsLimits } from "./limits.ts";

/** The report of the host's read tool about the page of a file that it read. */
interface Page {
  readonly path: string;
  readonly lines: readonly string[];
  /** The first line's number, counted from 1. */
  readonly first: number;
}

/**
 * A page of the read tool that is over the limit, with as many of its lines as fit and the offset
 * to go on at. The host's page is as large as its limit before line numbers and frame are added; a
 * cut in its middle would make reading on impossible, and the file itself is the complete text.
 * @returns null where this is not a page of that tool, or not even one line fits.
 */
export function shorterPage(
  output: string,
  metadata: unknown,
  limits: OutputLimits,
): string | null {
  const page = parsePage(metadata);
  if (!page) return null;
  const { path, lines, first } = page;
  const numbered = lines.map((line, index) => `${first + index}: ${line}`);
  const front = `<path>${path}</path>\n<type>file</type>\n<content>\n`;
  const body = numbered.join("\n");
  if (!output.startsWith(front + body)) return null;
  const rest = /^\n\n\([^\n]*\)(\n<\/content>[\s\S]*)/.exec(
    output.slice(front.length + body.length),
  )?.[1];
  if (rest === undefined) return null;
  const withLines = (count: number) => {
    const last = first + count - 1;
    const note = `(Output capped. Showing lines ${first}-${last}. Use offset=${last + 1} to continue.)`;
    return `${front}${numbered.slice(0, count).join("\n")}\n\n${note}${rest}`;
  };
  const count = mostLines(lines.length, (tried) => fitsLimits(withLines(tried), limits));
  return count === 0 ? null : withLines(count);
}

/** The largest count that fits; more lines never fit where fewer don't. */
function mostLines(total: number, fitting: (count: number) => boolean): number {
  let low = 0;
  let high = total;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fitting(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function parsePage(metadata: unknown): Page | null {
  const display = toFields(toFields(metadata).display);
  if (display.type !== "file") return null;
  const { path, text, lineStart } = display;
  if (typeof path !== "string" || typeof text !== "string" || typeof lineStart !== "number") {
    return null;
  }
  return { path, lines: text.split("\n"), first: lineStart };
}
