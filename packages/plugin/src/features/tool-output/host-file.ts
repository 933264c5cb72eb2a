// Reads what the host cut from an output back from its file.
import { basename, dirname } from "node:path";
import type { OutputLimits } from "../../feature-api/feature-context.ts";
import { byThread } from "../../sources/disk.ts";
import { type OpenFile, withOpenFile } from "../../sources/read-file.ts";
import { countCutBytes, type HostCut, hostCuts } from "./host-notice.ts";
import { byteLength } from "./limits.ts";
import type { PreviewText } from "./preview.ts";

/**
 * Reads the text that the host cut out of a tool's output again from the host's file. @param path the
 * host's `metadata.outputPath`; a file elsewhere is not read, whoever named it. @returns null where the
 * output is not the host's own cut of that file.
 */
export async function recoverOutput(
  output: string,
  path: string,
  folder: string,
  limits: OutputLimits,
): Promise<PreviewText | null> {
  const cuts = hostCuts(output, path);
  if (dirname(path) !== folder || !basename(path).startsWith("tool_")) return null;
  const bytes = Math.max(limits.maxBytes, ...cuts.map(countCutBytes));
  const reading = withOpenFile(path, "itself", byThread, (file) => readEnds(file, bytes));
  // Swept, or not for us: the host's own cut is all there is.
  const ends = await reading.catch(() => null);
  if (ends === null || typeof ends === "string") return null;
  const cut = cuts.find((candidate) => matchesFile(candidate, ends));
  return cut ? withClosing(ends, cut) : null;
}

/** `whole`: head and tail are one and the same text. */
interface FileEnds extends PreviewText {
  readonly whole: boolean;
}

function matchesFile(cut: HostCut, { head, tail }: FileEnds): boolean {
  return cut.kind === "head" ? head.startsWith(cut.head) : tail.endsWith(cut.tail);
}

function withClosing({ head, tail, totalBytes, whole }: FileEnds, cut: HostCut): PreviewText {
  const closing = cut.kind === "tail" ? cut.closing : "";
  return {
    head: whole ? head + closing : head,
    tail: tail + closing,
    totalBytes: totalBytes + byteLength(closing),
  };
}

/** The first and the last bytes of a file, in whole code points. */
async function readEnds({ identity, read }: OpenFile, bytes: number): Promise<FileEnds> {
  const size = Number(identity.size);
  if (size <= 2 * bytes) {
    const text = decoder().decode(await read(0, size));
    return { head: text, tail: text, totalBytes: size, whole: true };
  }
  const tail = await read(size - bytes, bytes);
  return {
    // Decoded as part of a stream: a code point that the window cuts off is left out.
    head: decoder().decode(await read(0, bytes), { stream: true }),
    tail: decoder().decode(tail.subarray(wholeStart(tail))),
    totalBytes: size,
    whole: false,
  };
}

function decoder(): TextDecoder {
  return new TextDecoder("utf-8", { ignoreBOM: true });
}

/** Skips the rest of a code point that the window cuts off; one has at most three further bytes. */
function wholeStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start] ?? 0)) start += 1;
  return start;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
