// Estimates the selected sessions, read from OpenCode's own database one by one.
import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { makeVisible, renderCount } from "@session-runtime/opencode/status/wording";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { CliError, EXIT } from "../cli-error.ts";
import { readModelList } from "../host/model-list.ts";
import type { Environment } from "../host/places.ts";
import { readHostHistory } from "../host-history/open.ts";
import { type HostSession, hostSessions, readMessages } from "../host-history/whole-sessions.ts";
import { typed } from "../invocation.ts";
import { isBelow, sessionNamed } from "../sessions/choose-session.ts";
import type { Progress } from "../terminal/progress.ts";
import { pastSession, type SessionEstimate } from "./session-estimate.ts";
import { Simulators, threadsFor } from "./simulators.ts";

export type Choice =
  | { readonly kind: "named"; readonly word: string }
  /** A null `folder` selects all folders. */
  | { readonly kind: "newest"; readonly most: number; readonly folder: string | null };

export interface Estimates {
  /** The sessions, most recently active first. */
  readonly sessions: readonly [SessionEstimate, ...SessionEstimate[]];
  readonly leftOut: SkippedSessions;
}

export interface SkippedSessions {
  /** Counts the sessions with fewer calls than `MIN_CALLS`. */
  readonly short: number;
  /** Counts the sessions whose bill already includes the plugin. */
  readonly withPlugin: number;
  readonly unreadable: readonly { readonly sessionId: SessionId; readonly reason: string }[];
}

/** Sets the fewest calls: in shorter sessions next to nothing grows old. */
export const MIN_CALLS = 10;

/** Estimates sessions; `withPlugin` ran with it. @throws CliError where there is nothing to estimate */
export async function estimateSessions(
  env: Environment,
  { choice, withPlugin }: { readonly choice: Choice; readonly withPlugin: ReadonlySet<SessionId> },
  progress: Progress,
): Promise<Estimates> {
  const candidates = await chosenSessions(env, choice);
  const most = choice.kind === "newest" ? choice.most : 1;
  const simulators = new Simulators(threadsFor(Math.min(most, candidates.length)));
  try {
    const least = choice.kind === "newest" ? MIN_CALLS : 1;
    return await readAll(env, { candidates, most, least, withPlugin, simulators }, progress);
  } finally {
    await simulators.close();
  }
}

interface ReadRequest {
  readonly candidates: readonly Candidate[];
  /** Limits the number of sessions. */
  readonly most: number;
  readonly least: number;
  readonly withPlugin: ReadonlySet<SessionId>;
  readonly simulators: Simulators;
}

async function readAll(
  env: Environment,
  reading: ReadRequest,
  progress: Progress,
): Promise<Estimates> {
  const { candidates, most, least, withPlugin, simulators } = reading;
  const models = readModelList(env);
  const estimates = new Map<SessionId, SessionEstimate>();
  const unreadable: { sessionId: SessionId; reason: string }[] = [];
  let [taken, short, already] = [0, 0, 0];
  for (const session of candidates) {
    if (taken >= most) break;
    const { id: sessionId, title, directory } = session;
    if (withPlugin.has(sessionId)) {
      already += 1;
      continue;
    }
    if (session.messages < least) {
      short += 1;
      continue;
    }
    const of = Math.min(most, candidates.length);
    progress.step(`Session ${taken + 1} of ${of}: ${makeVisible(title)}`);
    // The pause between sessions lets the progress be drawn, and Ctrl+C be handled.
    await setImmediate();
    const read = await readHostHistory(env, (driver) =>
      pastSession({ sessionId, title, directory }, readMessages(driver, session), models),
    );
    if (read.kind === "missing") unreadable.push({ sessionId, reason: read.reason });
    else if (read.value === null || read.value.paid.calls < least) short += 1;
    else {
      taken += 1;
      await simulators.submit(read.value, (estimate) => estimates.set(sessionId, estimate));
    }
  }
  await simulators.settled();
  const leftOut = { short, withPlugin: already, unreadable };
  const [first, ...others] = candidates.flatMap(({ id }) => estimates.get(id) ?? []);
  if (first === undefined) throw nothingToEstimate(leftOut);
  return { sessions: [first, ...others], leftOut };
}

interface Candidate extends HostSession {
  readonly messages: number;
}

async function chosenSessions(env: Environment, choice: Choice): Promise<readonly Candidate[]> {
  const read = await readHostHistory(env, candidatesIn);
  if (read.kind === "missing") throw unreadableHost(read.path, read.reason);
  const all = read.value;
  if (all.length === 0) throw noSessions();
  if (choice.kind === "named") return [named(all, choice.word)];
  const { folder } = choice;
  if (folder === null) return all;
  const here = all.filter(({ directory }) => isBelow(directory, folder));
  if (here.length > 0) return here;
  throw new CliError(
    "no-session-here",
    `OpenCode has no session of ${folder} or a folder below it.`,
    `Leave out --here: it has ${renderCount(all.length, "session")} elsewhere.`,
    EXIT.missing,
  );
}

function candidatesIn(driver: Driver): readonly Candidate[] {
  const rows = driver.all(
    "SELECT session_id, count(*) AS messages FROM message GROUP BY session_id",
  );
  const messages = new Map(rows.map((row) => [String(row.session_id), Number(row.messages)]));
  return hostSessions(driver).map((session) => ({
    ...session,
    messages: messages.get(session.id) ?? 0,
  }));
}

function named(all: readonly Candidate[], word: string): Candidate {
  const sessionId = sessionNamed(
    all.map(({ id }) => ({ sessionId: id })),
    word,
  )?.sessionId;
  const found = all.find(({ id }) => id === sessionId);
  if (found) return found;
  throw new CliError(
    "session-missing",
    `OpenCode has no session called "${word}".`,
    "`opencode session list` shows their ids.",
    EXIT.missing,
  );
}

/** Reports a host's database that is missing, damaged, or of an unknown schema. */
function unreadableHost(path: string, reason: string): CliError {
  const advice = existsSync(path)
    ? "It may be damaged, or written by a version of OpenCode that session-runtime doesn't know. `opencode session list` shows whether OpenCode itself can read it."
    : "Use OpenCode for a while first: an estimate needs past sessions. If its data is elsewhere, set XDG_DATA_HOME as you do for OpenCode.";
  const message = `OpenCode's database ${path} can't be read: ${reason}.`;
  return new CliError("host-unreadable", message, advice, EXIT.missing);
}

function noSessions(): CliError {
  return new CliError(
    "no-sessions",
    "OpenCode has no session yet.",
    "Use it for a while, then run this again: an estimate needs past sessions.",
    EXIT.missing,
  );
}

function nothingToEstimate({ short, withPlugin, unreadable }: SkippedSessions): CliError {
  const [broken] = unreadable;
  if (broken !== undefined) {
    const which = `${renderCount(unreadable.length, "session")} in OpenCode's database can't be read`;
    return new CliError(
      "sessions-unreadable",
      `${which}. The first is ${broken.sessionId}: ${broken.reason}.`,
      "`opencode export` with its id shows whether OpenCode itself can read it.",
    );
  }
  if (withPlugin > 0 && withPlugin >= short) {
    return new CliError(
      "sessions-with-plugin",
      `${renderCount(withPlugin, "session")} ran with Session Runtime already: there is nothing to estimate.`,
      `\`${typed("timeline --all")}\` shows what they were billed, and what each rewrite has saved.`,
      EXIT.missing,
    );
  }
  return new CliError(
    "sessions-short",
    `No session here has ${MIN_CALLS} calls yet, which an estimate needs.`,
    "Short sessions cost the same with Session Runtime: it drops old results, and they have none. Work with OpenCode for a while, or name a session with --session.",
    EXIT.missing,
  );
}
