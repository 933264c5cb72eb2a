// Text without what has no place in XML, or in a text at all.
import { wellFormed } from "../../context/rendering.ts";

/** All but the ends of lines and tabs. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

/** Without control characters, and without halves of characters. */
export function plain(text: string): string {
  return wellFormed(text).replace(CONTROLS, "");
}
