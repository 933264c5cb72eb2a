// A file as OpenCode 2's `read` returns it: one JSON line, of which the file's text alone can be bounded.
import { type ComparedFields, fieldsIn, toFields } from "../context/fields.ts";
import type { V2Output } from "./context.ts";

/** A result that goes to the model as `{"uri":…,"name":…,"content":…}`. */
interface FileLine {
  /** Of the file, with its own line ends. */
  readonly text: string;
  /** The same result around another text of the file. */
  readonly withText: (text: string) => V2Output;
}

/** The line is made by the host of a result's `output` that has no text beside it, or stands as its one text. */
export function findFileLine(result: V2Output): FileLine | null {
  const { content, output } = result;
  const [only, ...others] = typeof content === "string" ? [content] : (content ?? []).map(textIn);
  if (others.length > 0 || only === null) return null;
  if (only === undefined || only === "") {
    return around(toFields(output), (file) => ({ ...result, output: file }));
  }
  return around(fieldsIn(only) ?? {}, (file) => {
    const line = JSON.stringify(file);
    return { ...result, content: typeof content === "string" ? line : [withLine(content, line)] };
  });
}

function around(
  file: ComparedFields,
  buildResult: (file: ComparedFields) => V2Output,
): FileLine | null {
  const { uri, content } = file;
  if (typeof uri !== "string" || typeof content !== "string") return null;
  return { text: content, withText: (text) => buildResult({ ...file, content: text }) };
}

function withLine(content: V2Output["content"], line: string): ComparedFields {
  return { ...toFields(content?.[0]), text: line };
}

/** Null: the part holds no text. */
function textIn(part: unknown): string | null {
  const { type, text } = toFields(part);
  return type === "text" && typeof text === "string" ? text : null;
}
