// The messages between the terminal UI's plugin and the server's plugin. They meet on the host's own bus, where
// everyone receives each client's commands for the terminal UI:
//
//   1. The terminal UI sends `session-runtime.hello.NAME`; NAME is its own random id.
//   2. The server answers `session-runtime.channel.ID.NAME`; the file named by ID has its address and token.
//
// From then on the terminal UI asks the server's plugin directly, over loopback.
import type { DialogName } from "../feature-api/command.ts";
import { SESSION_ID_SOURCE } from "../storage/session-id.ts";

/** The version that the address file and every path name; another number means an incompatible protocol. */
export const PROTOCOL_VERSION = 2;

/** 32 hex digits that name one plugin instance of one process; they are not a secret. */
export type ChannelId = string & { readonly __brand: "ChannelId" };

/** 32 hex digits that name one terminal UI, so that it recognises the answers that are meant for it. */
export type GreeterId = string & { readonly __brand: "GreeterId" };

const GREETING_PREFIX = "session-runtime.hello.";
const ANSWER_PREFIX = "session-runtime.channel.";

export function formatGreeting(name: GreeterId): string {
  return `${GREETING_PREFIX}${name}`;
}

/** Returns the terminal UI that greets with this command on the bus; null for any other command. */
export function parseGreeter(command: string): GreeterId | null {
  const name = command.startsWith(GREETING_PREFIX) ? command.slice(GREETING_PREFIX.length) : "";
  return isHex32(name) ? (name as GreeterId) : null;
}

export function formatAnswer(id: ChannelId, to: GreeterId): string {
  return `${ANSWER_PREFIX}${id}.${to}`;
}

/**
 * Returns the channel that a command on the bus announces to this terminal UI; null for any other command.
 */
export function parseAnnouncement(command: string, me: GreeterId): ChannelId | null {
  const end = `.${me}`;
  if (!command.startsWith(ANSWER_PREFIX) || !command.endsWith(end)) return null;
  return parseChannelId(command.slice(ANSWER_PREFIX.length, -end.length));
}

export function parseChannelId(text: string): ChannelId | null {
  return isHex32(text) ? (text as ChannelId) : null;
}

function isHex32(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/**
 * Returns the command that makes a terminal UI show a dialog of one session. A terminal UI registers the
 * command only while it shows that session and can ask this server.
 */
export function formatShowCommand(dialog: DialogName, sessionId: string): string {
  return `session-runtime.show.${dialog}.${sessionId}`;
}

/** The address that a channel listens at; it stands in a file that only its user can read. */
export interface ChannelAddress {
  readonly protocol: number;
  readonly id: ChannelId;
  readonly pid: number;
  readonly port: number;
  /** The secret of the channel, 64 hex digits. */
  readonly token: string;
}

/** The questions that a channel answers. */
export type Question =
  | { readonly kind: "status"; readonly sessionId: string }
  | { readonly kind: "report"; readonly sessionId: string; readonly report: DialogName }
  | { readonly kind: "queue"; readonly sessionId: string }
  /** A stream of server-sent events, each of which says that the session's status has changed. */
  | { readonly kind: "changes"; readonly sessionId: string };

const PATH_PATTERN = new RegExp(
  `^/v${PROTOCOL_VERSION}/(${SESSION_ID_SOURCE})/(status|changes|queue|report/([a-z-]{1,32}))$`,
);

export function toQuestionPath(question: Question): string {
  const what = question.kind === "report" ? `report/${question.report}` : question.kind;
  return `/v${PROTOCOL_VERSION}/${question.sessionId}/${what}`;
}

export function parseQuestion(path: string): Question | null {
  const [, sessionId, what, name] = PATH_PATTERN.exec(path) ?? [];
  if (sessionId === undefined) return null;
  if (what === "status" || what === "changes" || what === "queue") return { kind: what, sessionId };
  return name === undefined ? null : { kind: "report", sessionId, report: name };
}
