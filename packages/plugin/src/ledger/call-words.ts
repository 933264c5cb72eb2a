// Renders a tool call on one line: `read src/a.ts`, `bash npm test`.
import { identifyingArguments } from "./host-tools.ts";
import type { ToolPart } from "./message.ts";

const MAX_CHARS = 100;

/** Renders the call. Paths in `directory` are relative to it, as the user and the model write them. */
export function renderCall({ tool, state }: ToolPart, directory: string): string {
  const input: unknown = state.input;
  const arguments_ = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const texts = new Map(
    arguments_.flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as const] : [],
    ),
  );
  const telling = identifyingArguments(tool) ?? [...texts.keys()].slice(0, 1);
  const words = telling.flatMap((name) => texts.get(name) ?? []);
  return oneLine([tool, ...words.map((word) => toRelative(word, directory))].join(" "));
}

function toRelative(word: string, directory: string): string {
  const folder = directory.endsWith("/") ? directory : `${directory}/`;
  return word.startsWith(folder) && word !== folder ? word.slice(folder.length) : word;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_CHARS ? line : `${line.slice(0, MAX_CHARS - 1)}…`;
}
