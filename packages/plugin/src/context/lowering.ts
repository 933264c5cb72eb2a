// Wraps an update as `<system-update>` text for sending, and takes the wrapping off.
import { closingTag, opening } from "./frames.ts";
import { withoutEnd } from "./neutralize.ts";
import { wellFormed } from "./rendering.ts";

const FRAME = "system-update";
const OPENING = `${opening(FRAME)}\n`;
const CLOSING = `\n${closingTag(FRAME)}`;
/** Separates a tool's own result from the updates that the projection appends. */
export const UPDATE_GAP = "\n\n";
const CLOSING_TAG = /<(\s*)\/(\s*system-update\s*)>/gi;

/**
 * Wraps an update for sending. Agents copy commands from these texts, so every byte stays as it is except the
 * one tag that would end the wrapping.
 */
export function wrapUpdate(text: string): string {
  const escaped = wellFormed(text).replace(CLOSING_TAG, "<$1\\/$2>");
  return `${OPENING}${withoutEnd(escaped, FRAME)}${CLOSING}`;
}

/** Recognises an update in the wrapping that it has when it goes as the user's text. */
export function isWrapped(text: string): boolean {
  return (
    text.length > OPENING.length + CLOSING.length &&
    text.startsWith(OPENING) &&
    text.endsWith(CLOSING)
  );
}

/** A tool's result, split from the updates that the projection appended. */
interface EndedText {
  readonly own: string;
  /** Updates in order, each with its wrapping. */
  readonly updates: readonly string[];
}

/** Splits the updates off the end of a text. None holds a closing tag, but one may hold an opening one. */
export function updatesAtEnd(text: string): EndedText {
  const updates: string[] = [];
  let own = text;
  while (own.endsWith(CLOSING)) {
    const former = [...own.slice(0, -CLOSING.length).matchAll(CLOSING_TAG)].at(-1)?.index ?? 0;
    const at = own.indexOf(UPDATE_GAP + OPENING, former);
    const update = at < 0 ? "" : own.slice(at + UPDATE_GAP.length);
    if (!isWrapped(update)) break;
    updates.unshift(update);
    own = own.slice(0, at);
  }
  return { own, updates };
}

/** Returns the stored text without its wrapping, as a message of a role of its own sends it. */
export function unwrapTag(text: string): string {
  return isWrapped(text) ? text.slice(OPENING.length, -CLOSING.length) : text;
}
