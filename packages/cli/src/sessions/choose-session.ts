// The session that an argument of the command line names.
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { sessionIdIn } from "../../../plugin/src/storage/session-id.ts";
import { type SessionPlace, sessionPlaces } from "../../../plugin/src/storage/session-list.ts";
import { CliError } from "../cli-error.ts";
import { EXIT } from "../exit-codes.ts";

export const SESSION_ARGUMENT = {
  type: "positional",
  required: false,
  description:
    "A session's id, or the beginning or end of one; the newest of this folder if left out",
} as const;

/**
 * The session that `word` means, by an id that can name a file; without a word the one that was last at work in `folder`, else
 * anywhere.
 */
export function chooseSession(
  driver: Driver,
  word: string | undefined,
  folder: string,
): SessionPlace {
  const sessions = sessionPlaces(driver).filter(({ sessionId }) => sessionIdIn(sessionId) !== null);
  const chosen = word === undefined ? newest(sessions, folder) : named(sessions, word);
  if (chosen !== undefined) return chosen;
  if (sessions.length === 0) {
    throw new CliError(
      "no-sessions",
      "The database holds no session yet.",
      "Send a prompt in OpenCode with the plugin; `session-runtime doctor` finds out what keeps it from that.",
      EXIT.missing,
    );
  }
  throw new CliError(
    "session-missing",
    `No session is called "${word}".`,
    "`session-runtime sessions` lists them. A session is known from its first call on.",
    EXIT.missing,
  );
}

function newest(sessions: readonly SessionPlace[], folder: string): SessionPlace | undefined {
  return sessions.find(({ directory }) => directory === folder) ?? sessions[0];
}

function named(sessions: readonly SessionPlace[], word: string): SessionPlace | undefined {
  const exact = sessions.find(({ sessionId }) => sessionId === word);
  if (exact !== undefined) return exact;
  const near = sessions.filter(
    ({ sessionId }) =>
      sessionId.startsWith(word) || sessionId.startsWith(`ses_${word}`) || sessionId.endsWith(word),
  );
  if (near.length <= 1) return near[0];
  const ids = near.slice(0, 5).map(({ sessionId }) => sessionId);
  throw new CliError(
    "session-ambiguous",
    `"${word}" may be ${near.length} sessions: ${ids.join(", ")}${near.length > 5 ? ", …" : ""}.`,
    "Give more of the id.",
    EXIT.usage,
  );
}
