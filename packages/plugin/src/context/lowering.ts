// An update wrapped as `<system-update>` text, as it is sent.
import { wellFormed } from "./rendering.ts";

const CLOSING_TAG = /<(\s*)\/(\s*system-update\s*)>/gi;

/**
 * An update as it is sent. Agents copy commands from these texts, so every byte stays as it is, but
 * for the one tag that would end the wrapping.
 */
export function wrapUpdate(text: string): string {
  const inert = wellFormed(text).replace(CLOSING_TAG, "<$1\\/$2>");
  return `<system-update>\n${inert}\n</system-update>`;
}
