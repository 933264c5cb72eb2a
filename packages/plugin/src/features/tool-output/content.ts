// The items of an MCP result, and their text as the host would join it.
import { toFields } from "../../context/fields.ts";
import type { OutputLimits } from "../../feature-api/feature-context.ts";
import { byteLength, countLines } from "./limits.ts";

/** The items of an MCP result, as the server sent them. */
export type Content = readonly unknown[];

/** The host puts a blank line between the texts of a result. */
const TEXT_SEPARATOR = "\n\n";

/** The one text that the host would make of the texts among these items; null where there is none. */
export function joinText(content: Content): string | null {
  const texts = content.flatMap((item) => readText(item) ?? []);
  return texts.length === 0 ? null : texts.join(TEXT_SEPARATOR);
}

/** The items with one text in place of all texts, where the first of them stood; the rest as it was. */
export function replaceText(content: Content, text: string): Content {
  const first = content.findIndex((item) => readText(item) !== null);
  return content.flatMap((item, index) => {
    const left = index === first ? [{ type: "text", text }] : [];
    return readText(item) === null ? [item] : [...left, ...stripText(item)];
  });
}

/**
 * The limit for the texts of these items, less what the host adds to them by itself: a line for
 * each binary resource that it leaves out, and one for images that it can't scale down.
 */
export function reduceLimits(content: Content, limits: OutputLimits): OutputLimits {
  const notes = content.flatMap((item) => noteSize(item) ?? []);
  const sum = (size: (note: OutputLimits) => number) =>
    notes.reduce((total, note) => total + size(note), 0);
  // Keeps at least a quarter: where the notes take almost all, the host's own cut of the whole remains.
  return {
    maxBytes: Math.max(limits.maxBytes - sum((note) => note.maxBytes), limits.maxBytes >> 2),
    maxLines: Math.max(limits.maxLines - sum((note) => note.maxLines), limits.maxLines >> 2),
  };
}

/** Each of the host's notes is shorter than this without the names in it. */
const NOTE_BYTES = 160;

function noteSize(item: unknown): OutputLimits | null {
  const fields = toFields(item);
  if (fields.type === "image") return { maxBytes: NOTE_BYTES, maxLines: 2 };
  const resource = fields.type === "resource" ? toFields(fields.resource) : null;
  if (!resource?.blob) return null;
  const names = [resource.uri, resource.mimeType]
    .filter((name) => typeof name === "string")
    .join("");
  return { maxBytes: NOTE_BYTES + byteLength(names), maxLines: countLines(names) + 1 };
}

/** The host takes texts and the texts of resources. */
function readText(item: unknown): string | null {
  const fields = toFields(item);
  if (fields.type === "text" && typeof fields.text === "string") return fields.text;
  if (fields.type !== "resource") return null;
  const text = toFields(fields.resource).text;
  return typeof text === "string" && text !== "" ? text : null;
}

/** Returns the item without its text: a resource may have a blob beside it. */
function stripText(item: unknown): Content {
  const fields = toFields(item);
  const resource = fields.type === "resource" ? toFields(fields.resource) : null;
  if (!resource?.blob) return [];
  const { text: _bounded, ...rest } = resource;
  return [{ ...fields, resource: rest }];
}
