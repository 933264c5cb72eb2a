import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OutputLimits } from "../../../src/feature-api/feature-context.ts";

/** A tool's result as it comes out of the host's own truncation. */
export interface HostResult {
  readonly output: string;
  readonly metadata: { readonly truncated: boolean; readonly outputPath?: string };
}

let made = 0;

function hostFile(folder: string, text: string): string {
  made += 1;
  const path = join(folder, `tool_0123456789ab${String(made).padStart(14, "a")}`);
  writeFileSync(path, text);
  return path;
}

/** As the host's truncation of built-in and plugin tools does it: the head only. */
export function cutToHead(folder: string, text: string, limits: OutputLimits): HostResult {
  const lines = text.split("\n");
  if (lines.length <= limits.maxLines && Buffer.byteLength(text) <= limits.maxBytes) {
    return { output: text, metadata: { truncated: false } };
  }
  const kept: string[] = [];
  let bytes = 0;
  let byBytes = false;
  for (const line of lines.slice(0, limits.maxLines)) {
    const size = Buffer.byteLength(line) + (kept.length > 0 ? 1 : 0);
    if (bytes + size > limits.maxBytes) {
      byBytes = true;
      break;
    }
    kept.push(line);
    bytes += size;
  }
  const path = hostFile(folder, text);
  const count = byBytes
    ? `${Buffer.byteLength(text) - bytes} bytes`
    : `${lines.length - kept.length} lines`;
  const advice = "Use Grep to search the full content or Read with offset/limit to view parts.";
  const notice = `The tool call succeeded but the output was truncated. Full output saved to: ${path}\n${advice}`;
  return {
    output: `${kept.join("\n")}\n\n...${count} truncated...\n\n${notice}`,
    metadata: { truncated: true, outputPath: path },
  };
}

/** As the host's shell tool does it: the tail only, and its own note behind. */
export function cutToTail(
  folder: string,
  text: string,
  note: string,
  limits: OutputLimits,
): HostResult {
  const lines = text.split("\n");
  if (lines.length <= limits.maxLines && Buffer.byteLength(text) <= limits.maxBytes) {
    return { output: text + note, metadata: { truncated: false } };
  }
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.toReversed()) {
    const size = Buffer.byteLength(line) + (kept.length > 0 ? 1 : 0);
    if (kept.length >= limits.maxLines) break;
    if (bytes + size > limits.maxBytes) {
      if (kept.length === 0) kept.push(takeLineEnd(line, limits.maxBytes));
      break;
    }
    kept.unshift(line);
    bytes += size;
  }
  const path = hostFile(folder, text);
  const shown = kept.join("\n") || "(no output)";
  return {
    output: `...output truncated...\n\nFull output saved to: ${path}\n\n${shown}${note}`,
    metadata: { truncated: true, outputPath: path },
  };
}

function takeLineEnd(line: string, maxBytes: number): string {
  const bytes = Buffer.from(line);
  let start = Math.max(0, bytes.length - maxBytes);
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString();
}
