// The items of an MCP result, and their text as the host would join it.
import { toFields } from "../../context/fields.ts";
import type { OutputLimits } from "../../feature-api/feature-context.ts";
import { byteLength, countLines } from "./limits.ts";

/** The items of an MCP result, as the server sent them. */
export type McpContent = readonly unknown[];

/** The host puts a blank line between the texts of a result. */
const TEXT_SEPARATOR = "\n\n";

/** Joins the texts among these items as the host would; null if there are none. */
export function joinText(content: McpContent): string | null {
  const texts = content.flatMap((item) => readText(item) ?? []);
  return texts.length === 0 ? null : texts.join(TEXT_SEPARATOR);
}

/** Returns the items with one text in place of all their texts, at the position of the first. */
export function replaceText(content: McpContent, text: string): McpContent {
  const first = content.findIndex((item) => readText(item) !== null);
  return content.flatMap((item, index) => {
    const left = index === first ? [{ type: "text", text }] : [];
    return readText(item) === null ? [item] : [...left, ...stripText(item)];
  });
}

/**
 * Returns the limits for the texts of these items, less what the host adds by itself: a line for each binary
 * resource that it leaves out, and one for images that it can't scale down.
 */
export function reduceLimits(content: McpContent, limits: OutputLimits): OutputLimits {
  const notes = content.flatMap((item) => measureHostNote(item) ?? []);
  const sum = (size: (note: OutputLimits) => number) =>
    notes.reduce((total, note) => total + size(note), 0);
  // At least a quarter is kept: if the notes take almost everything, the host still cuts the whole result
  // itself.
  return {
    maxBytes: Math.max(limits.maxBytes - sum((note) => note.maxBytes), limits.maxBytes >> 2),
    maxLines: Math.max(limits.maxLines - sum((note) => note.maxLines), limits.maxLines >> 2),
  };
}

/** Each of the host's notes takes fewer bytes than this, not counting the names in it. */
const NOTE_BYTES = 160;

function measureHostNote(item: unknown): OutputLimits | null {
  const fields = toFields(item);
  if (fields.type === "image") return { maxBytes: NOTE_BYTES, maxLines: 2 };
  const resource = fields.type === "resource" ? toFields(fields.resource) : null;
  if (!resource?.blob) return null;
  const names = [resource.uri, resource.mimeType]
    .filter((name) => typeof name === "string")
    .join("");
  return { maxBytes: NOTE_BYTES + byteLength(names), maxLines: countLines(names) + 1 };
}

/** Returns the text of a text item or of a resource; null for any other item. */
function readText(item: unknown): string | null {
  const fields = toFields(item);
  if (fields.type === "text" && typeof fields.text === "string") return fields.text;
  if (fields.type !== "resource") return null;
  const text = toFields(fields.resource).text;
  return typeof text === "string" && text !== "" ? text : null;
}

/** Returns the item without its text, as a resource may hold a blob as well. */
function stripText(item: unknown): McpContent {
  const fields = toFields(item);
  const resource = fields.type === "resource" ? toFields(fields.resource) : null;
  if (!resource?.blob) return [];
  const { text: _bounded, ...rest } = resource;
  return [{ ...fields, resource: rest }];
}
