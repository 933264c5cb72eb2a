// The forms of hosts' session ids, for ids that come from outside: file names, requests, imports.

import type { SessionId } from "./records.ts";

/** For a pattern that holds an id among other things. The host itself asks for the beginning alone. */
export const SESSION_ID = "ses[A-Za-z0-9_-]{1,64}";

/** As other hosts have it. */
const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

const WHOLE = new RegExp(`^(?:${SESSION_ID}|${UUID})$`);

/** Null for what is not the id of a session: a path, say. An id can be part of a file's name. */
export function sessionIdIn(text: string): SessionId | null {
  return WHOLE.test(text) ? (text as SessionId) : null;
}
