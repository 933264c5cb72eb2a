// Finds the session that a command-line argument names.
// Folder: Finds the session that a command means, and shows its status.
import { sep } from "node:path";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { parseSessionId } from "@session-runtime/opencode/storage/session-id";
import {
  listSessionPlaces,
  type SessionPlace,
} from "@session-runtime/opencode/storage/session-list";
import { CliError, EXIT } from "../cli-error.ts";
import { typed } from "../invocation.ts";

export const SESSION_ARGUMENT = {
  type: "positional",
  required: false,
  description:
    "A session's id, or the beginning or end of one (default: the newest of this folder)",
} as const;

/**
 * Returns the session that `word` means, by an id that can name a file; without a word, the session that last worked
 * in `folder`.
 */
export function chooseSession(
  driver: Driver,
  word: string | undefined,
  folder: string,
): SessionPlace {
  if (word === undefined) {
    return sessionsWhere(driver, folder, (directory) => directory === folder)[0];
  }
  return required(sessionNamed(knownSessions(driver), word), word);
}

/** Returns all sessions that last worked in `folder` or below it, most recently active first; never none. */
export function sessionsBelow(driver: Driver, folder: string): SomeSessions {
  return sessionsWhere(driver, folder, (directory) => isBelow(directory, folder));
}

/** Says whether `directory` is `folder` or lies in it. */
export function isBelow(directory: string, folder: string): boolean {
  const below = folder.endsWith(sep) ? folder : folder + sep;
  return directory === folder || directory.startsWith(below);
}

export type SomeSessions = readonly [SessionPlace, ...SessionPlace[]];

/**
 * Returns the sessions of matching folders only, since another's would be mistaken for this one's.
 * @throws NoSessionHere
 */
function sessionsWhere(
  driver: Driver,
  folder: string,
  isMeant: (directory: string) => boolean,
): SomeSessions {
  const sessions = knownSessions(driver);
  const [first, ...others] = sessions.filter(
    ({ directory }) => directory !== null && isMeant(directory),
  );
  if (first !== undefined) return [first, ...others];
  throw new NoSessionHere(folder, sessions);
}

/** Reports that there are sessions, but none of this folder; `data-command.ts` offers the newest of the others. */
export class NoSessionHere extends CliError {
  constructor(
    folder: string,
    /** The sessions of all folders, most recently active first. */
    readonly elsewhere: SomeSessions,
  ) {
    super("no-session-here", `No session has worked in ${folder} yet.`, "", EXIT.missing);
  }
}

function knownSessions(driver: Driver): SomeSessions {
  const [first, ...others] = listSessionPlaces(driver).filter(
    ({ sessionId }) => parseSessionId(sessionId) !== null,
  );
  if (first !== undefined) return [first, ...others];
  throw new CliError(
    "no-sessions",
    "The database holds no session yet.",
    `Send a prompt in OpenCode or Pi with Session Runtime. If that changes nothing, \`${typed("doctor")}\` finds out why.`,
    EXIT.missing,
  );
}

function required(found: SessionPlace | undefined, word: string): SessionPlace {
  if (found !== undefined) return found;
  throw new CliError(
    "session-missing",
    `No session has the id "${word}".`,
    `\`${typed("sessions")}\` lists all sessions. A session is listed from its first call on.`,
    EXIT.missing,
  );
}

/** Returns the session with this id, or the beginning or end of one. @throws CliError where several match */
export function sessionNamed<T extends Pick<SessionPlace, "sessionId">>(
  sessions: readonly T[],
  word: string,
): T | undefined {
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
    `"${word}" matches ${near.length} sessions: ${ids.join(", ")}${near.length > 5 ? ", …" : ""}.`,
    "Give more of the id.",
    EXIT.usage,
  );
}
