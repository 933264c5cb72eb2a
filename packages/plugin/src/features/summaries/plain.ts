// Removes characters that have no place in XML, or in a text at all.
import { wellFormed } from "../../context/rendering.ts";

/** Matches all control characters except line ends and tabs. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Removes control characters and unpaired surrogates. */
export function toPlainText(text: string): string {
  return wellFormed(text).replace(CONTROLS, "");
}
