// Transcripts of the wire, held against recorded ones.
import { expect } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CallRecord } from "../../src/provider/record.ts";
import type { Stage, Talk } from "./stage.ts";

/** Each call in full where it is new, with what it repeats of the call before as a count. */
export function transcript(
  stage: Stage,
  { client, id }: Talk,
  records: readonly CallRecord[],
): string {
  const former = new Map<string, readonly string[]>();
  const parts = inOrder(records).map((record, position) => {
    const lines = record.blocks.map((block) => {
      const mark = block.breakpoint ? " *" : "";
      return { key: `${block.layer}/${block.role} ${block.bytes}`, ...block, mark };
    });
    const before = former.get(record.kind) ?? [];
    let same = 0;
    while (same < lines.length && before[same] === lines[same]?.key) same += 1;
    former.set(
      record.kind,
      lines.map(({ key }) => key),
    );
    const breakpoints = lines.flatMap(({ breakpoint }, index) => (breakpoint ? [index] : []));
    return [
      `## ${position + 1}. ${record.kind} ${record.model}: ${record.outcome.type}`,
      `repeats ${same} of ${before.length}; breakpoints at ${breakpoints.join(", ") || "none"}`,
      ...lines
        .slice(same)
        .map(({ layer, role, bytes }) => `${layer}/${role} ${shown(layer, bytes)}`),
    ].join("\n");
  });
  return (
    `${parts.join("\n\n")}\n`
      .replaceAll(client.folder, "/project")
      .replaceAll(stage.host.home.root, "/home")
      .replaceAll(id, "ses_of_the_test")
      // Refs are made of the host's ids, which are others in each run.
      .replaceAll(/\b([rh]):[0-9a-z]{6}(?![0-9a-z])/g, "$1:REF")
      .replaceAll(/(Today's date(?: is now)?: )\w{3} \w{3} \d{2} \d{4}/g, "$1DAY")
  );
}

/** The title runs beside the first step: it is put before it, whichever came first. */
function inOrder(records: readonly CallRecord[]): readonly CallRecord[] {
  const title = records.filter(({ kind }) => kind === "title");
  return [...title, ...records.filter(({ kind }) => kind !== "title")];
}

const MAX_TEXT_CHARS = 120;
const BASELINE = "You are powered by";

/** Tools and the host's own prompts are the host's: their beginning says which they are. */
function shown(layer: string, bytes: string): string {
  const value: Record<string, unknown> = JSON.parse(bytes);
  if (layer === "tools") return toolName(value);
  const text = layer === "system" ? (value.text ?? value.content) : value.text;
  if (typeof text !== "string") return clipped(bytes);
  return layer === "system" ? shortened(text) : clipped(text);
}

/** Of what is longer only the beginning and the end tell one thing from another. */
const MAX_MESSAGE_CHARS = 2_400;

function clipped(text: string): string {
  if (text.length <= MAX_MESSAGE_CHARS) return text;
  return `${text.slice(0, MAX_TEXT_CHARS)}… (${text.length} characters) …${text.slice(-MAX_TEXT_CHARS)}`;
}

/** In the formats of OpenAI's chat completions a tool's name stands one level below. */
function toolName({ name, function: inner }: Record<string, unknown>): string {
  return typeof inner === "object" && inner !== null && "name" in inner
    ? String(inner.name)
    : String(name);
}

/** The host's own prompt by its beginning, the Baseline whole. */
function shortened(text: string): string {
  const start = text.indexOf(BASELINE);
  if (start === 0) return text;
  const prompt = start < 0 ? text : text.slice(0, start);
  const rest = start < 0 ? "" : `\n${text.slice(start)}`;
  return `${prompt.slice(0, MAX_TEXT_CHARS)}… (${prompt.length} characters)${rest}`;
}

export function expectGolden(name: string, actual: string): void {
  const path = join(import.meta.dir, "golden", name);
  if (process.env.UPDATE_GOLDEN === "1") {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
  }
  if (!existsSync(path)) throw new Error(`${path} is missing: write it with UPDATE_GOLDEN=1`);
  expect(actual).toBe(readFileSync(path, "utf8"));
}
