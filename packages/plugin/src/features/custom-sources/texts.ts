// Texts of custom sources: what is from outside made harmless, and filled into templates.
import { neutralize } from "../../context/neutralize.ts";

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);

/** Colours, cursor moves and titles, as programs write them for a terminal. */
const TERMINAL = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\))`,
  "g",
);

/** Matches the remaining control characters, and the marks that change the direction of text. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A text from outside as the model may be given it: plain lines without anything that steers a reader. */
export function sanitizeText(text: string): string {
  const plain = text
    .replace(/^\uFEFF/, "")
    .replace(TERMINAL, "")
    .replace(/\r\n?/g, "\n")
    .replace(CONTROLS, "\uFFFD");
  return neutralize(plain);
}

/** The values that a template's words in braces stand for. */
interface TemplateValues {
  readonly value: string;
  readonly previous: string;
}

/** Fills a template in one go: braces inside a value are text. */
export function fill(template: string, values: TemplateValues): string {
  return template.replace(/\{(value|previous)\}/g, (_braces, name: keyof TemplateValues) =>
    renderShown(values[name]),
  );
}

/** An empty file is context: the model reads that it is empty. */
function renderShown(value: string): string {
  return value.trim() === "" ? "(empty)" : value;
}
