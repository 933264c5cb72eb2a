// The forms of hosts' session ids, for ids that come from outside: file names, requests, imports.
import type { SessionId } from "./records.ts";

/** Matches an id inside a larger pattern. The host itself checks only the beginning of an id. */
export const SESSION_ID_SOURCE = "ses[A-Za-z0-9_-]{1,64}";

/** Matches other hosts' session ids. */
const UUID_SOURCE = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const SESSION_ID_PATTERN = new RegExp(`^(?:${SESSION_ID_SOURCE}|${UUID_SOURCE})$`);

/** Parses a session's id; null for any other text, such as a path. An id can be part of a file's name. */
export function parseSessionId(text: string): SessionId | null {
  return SESSION_ID_PATTERN.test(text) ? (text as SessionId) : null;
}
