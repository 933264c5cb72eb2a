// An update wrapped as `<system-update>` text, as it is sent, and without its wrapping.
import { closing, opening } from "./frames.ts";
import { withoutEnd } from "./inert.ts";
import { wellFormed } from "./rendering.ts";

const FRAME = "system-update";
const OPENING = `${opening(FRAME)}\n`;
const CLOSING = `\n${closing(FRAME)}`;
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

/** The update as a message of its own role says it: the stored text without its wrapping. */
export function unwrapped(text: string): string {
  return isWrapped(text) ? text.slice(OPENING.length, -CLOSING.length) : text;
}
