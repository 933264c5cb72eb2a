// The one notice of a session's first fold.
import type { Notice } from "../log/notices.ts";
import type { SessionId } from "../storage/records.ts";

/** It is quiet: once for the session, no warning that reports go on showing, and nothing waits for it. */
export function firstFold(sessionId: SessionId): Notice {
  return {
    code: `history_first_fold:${sessionId}`,
    severity: "info",
    message:
      "Older messages of this session are folded: the model gets a short record in their place, and looks up what it needs. What you see stays as it is.",
    remedy:
      'See it with /ctx-history; turn it off with "history": { "rewrite": "off" } in session-runtime.jsonc.',
  };
}
