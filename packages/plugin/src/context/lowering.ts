// An update wrapped as `<system-update>` text, as it is sent, and without its wrapping.
import { closing, opening } from "./frames.ts";
import { withoutEnd } from "./neutralize.ts";
import { wellFormed } from "./rendering.ts";

const FRAME = "system-update";
const OPENING = `${opening(FRAME)}\n`;
const CLOSING = `\n${closing(FRAME)}`;
/** Between a tool's words and what the projection puts after them. */
export const UPDATE_GAP = "\n\n";
const CLOSING_TAG = /<(\s*)\/(\s*system-update\s*)>/gi;

/**
 * An update as it is sent. Agents copy commands from these texts, so every byte stays as it is, but
 * for the one tag that would end the wrapping.
 */
export function wrapUpdate(text: string): string {
  const escaped = wellFormed(text).replace(CLOSING_TAG, "<$1\\/$2>");
  return `${OPENING}${withoutEnd(escaped, FRAME)}${CLOSING}`;
}

/** Whether this is an update as it is wrapped when it goes as the user's text. */
export function isWrapped(text: string): boolean {
  return (
    text.length > OPENING.length + CLOSING.length &&
    text.startsWith(OPENING) &&
    text.endsWith(CLOSING)
  );
}

/** A tool's result with updates after it, as the projection puts them there. */
interface EndedText {
  readonly own: string;
  /** Each as it is wrapped, in order. */
  readonly updates: readonly string[];
}

/** Takes the updates off the end of a text. None holds a closing tag, but one may hold an opening one. */
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

/** The update as a message of its own role says it: the stored text without its wrapping. */
export function unwrapped(text: string): string {
  return isWrapped(text) ? text.slice(OPENING.length, -CLOSING.length) : text;
}
