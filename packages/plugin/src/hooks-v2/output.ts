// Bounds a result before the host does, which would keep the head alone instead of head and tail.
import { parseFields, toFields, type UnknownFields } from "../context/fields.ts";
import type { DispatchHook } from "../runtime/dispatch-hooks.ts";
import type { V2Output, V2ToolEvent } from "./context.ts";

// Finds the text of a file in the one JSON line that OpenCode 2's `read` returns, so that the text alone is bounded.

/** A result that goes to the model as `{"uri":…,"name":…,"content":…}`. */
interface FileLine {
  /** The file's text, with its original line ends. */
  readonly text: string;
  /** Builds the same result with another text for the file. */
  readonly withText: (text: string) => V2Output;
}

/**
 * Finds the line, which the host makes from an `output` without a text, or which is the result's only text.
 */
function findFileLine(result: V2Output): FileLine | null {
  const { content, output } = result;
  const [only, ...others] = typeof content === "string" ? [content] : (content ?? []).map(readText);
  if (others.length > 0 || only === null) return null;
  if (only === undefined || only === "") {
    return toFileLine(toFields(output), (file) => ({ ...result, output: file }));
  }
  return toFileLine(parseFields(only) ?? {}, (file) => {
    const line = JSON.stringify(file);
    return { ...result, content: typeof content === "string" ? line : [appendLine(content, line)] };
  });
}

function toFileLine(
  file: UnknownFields,
  buildResult: (file: UnknownFields) => V2Output,
): FileLine | null {
  const { uri, content } = file;
  if (typeof uri !== "string" || typeof content !== "string") return null;
  return { text: content, withText: (text) => buildResult({ ...file, content: text }) };
}

function appendLine(content: V2Output["content"], line: string): UnknownFields {
  return { ...toFields(content?.[0]), text: line };
}

/** Returns null if the part holds no text. */
function readText(part: unknown): string | null {
  const { type, text } = toFields(part);
  return type === "text" && typeof text === "string" ? text : null;
}

/**
 * Returns null if the result is within the limit, or has no text. The host does not touch a result that is
 * marked as truncated.
 */
export async function boundOutput(
  { tool, id, status, result }: V2ToolEvent,
  dispatch: DispatchHook,
): Promise<V2Output | null> {
  if (status !== "completed" || result?.metadata?.truncated) return null;
  const { content, metadata = {} } = result ?? {};
  const line = result ? findFileLine(result) : null;
  const whole = line ? line.text : content;
  const own = typeof whole === "string" ? { output: whole, metadata } : { content, metadata };
  const settled: typeof own = { ...own };
  await dispatch("toolSettled", { tool, callId: id }, settled);
  const text = "output" in settled ? settled.output : settled.content;
  if (text === whole || text === undefined) return null;
  const sent =
    line && typeof text === "string" ? line.withText(text) : { ...result, content: text };
  return { ...sent, metadata: { ...settled.metadata, truncated: true } };
}
