// Tests whether an item may pass between this machine and the team's store, as if it were written here. Pure.

import { counted } from "../../status/wording.ts";
import { cleanText, MAX_MEMORY_CHARS, MAX_NOTE_CHARS } from "../memory/text.ts";
import type { Item } from "./item.ts";

/** Accepts one line within its length, without control characters, and without what looks like a secret. */
export function isFit(item: Item): boolean {
  if (item.kind === "gone") return true;
  const cleaned = cleanText(item.text, item.kind === "note" ? MAX_NOTE_CHARS : MAX_MEMORY_CHARS);
  return cleaned.kind === "clean" && cleaned.text === item.text;
}

/** Describes to the status how many items were left out. */
export function leftOutText(items: number, way: "not sent to" | "not taken from"): string {
  const [were, have] = items === 1 ? ["was", "it has"] : ["were", "they have"];
  return `${counted(items, "item")} ${were} ${way} the store: ${have} a secret, a line break or too much text`;
}
