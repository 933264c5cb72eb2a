// Implements `session-runtime resummarize`: it has the history of sessions summarised again in the background.
import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/command.ts";
import { UserFacingError } from "../../feature-api/user-facing-error.ts";
import { renderCount } from "../../status/wording.ts";
import type { SessionId } from "../../storage/records.ts";
import { parseSessionId } from "../../storage/session-id.ts";
import { readLiveLeases } from "../../storage/session-list.ts";
import { isProcessDead } from "../inbox/process-id.ts";
import { isHistorianOn } from "./config.ts";
import { createResummaryStore, describeProgress } from "./resummary.ts";

export const resummarizeCli: CliCommandCode = {
  details: [
    "A model summarises the older history of a session again, from its beginning: in the background of a",
    "session that is open in its folder, and within the budgets of `jobs`. Without a session: how far those",
    "of this folder are.",
  ],
  args: {
    session: { type: "positional", required: false, description: "The id of a session" },
    all: { type: "boolean", description: "All sessions of this folder" },
    stop: { type: "boolean", description: "Stop it; what was written so far is kept" },
  },
  examples: [
    { line: "session-runtime resummarize ses_x", does: "summarises one session again" },
    { line: "session-runtime resummarize --all --stop", does: "stops all of this folder" },
  ],
  access: "writes",
  async run(call) {
    const isOff = !isHistorianOn(await call.config());
    const all = call.given.get("all") === true;
    const named = call.given.get("session");
    const sessions = resolveSessions(call, { named, all });
    if (isOff) stopWaitingSessions(call, sessions);
    if (call.given.get("stop") === true) {
      if (named === undefined && !all)
        throw new UserFacingError("Give the id of a session, or `--all`.");
      return stopSessions(call, sessions);
    }
    if (named === undefined && !all) return listSessions(call, sessions);
    if (isOff) throw new UserFacingError(HISTORIAN_OFF_ANSWER);
    return beginSessions(call, sessions);
  },
};

const HISTORIAN_OFF_ANSWER =
  'The historian is off, so nothing would be summarised. Turn it on in your session-runtime.jsonc: "historian": { "enabled": true }, and "history": { "rewrite": "worth" }.';

/** Stops work that began before the historian was turned off, because nothing would finish it. */
function stopWaitingSessions({ driver }: CliCall, sessions: readonly SessionId[]): void {
  const store = createResummaryStore(driver);
  for (const id of sessions) if (store.waits(id)) store.stop(id);
}

function resolveSessions(
  { driver, directory }: CliCall,
  { named, all }: { readonly named: string | boolean | undefined; readonly all: boolean },
): readonly SessionId[] {
  const here = createResummaryStore(driver).sessionsIn(directory);
  if (named === undefined) return here;
  if (all) throw new UserFacingError("Give the id of one session, or `--all`.");
  const id = parseSessionId(String(named));
  if (id === null || !here.includes(id)) {
    throw new UserFacingError(`There is no session ${named} in this folder.`);
  }
  return [id];
}

function beginSessions(
  { driver, directory, nowMs }: CliCall,
  sessions: readonly SessionId[],
): CliAnswer {
  const store = createResummaryStore(driver);
  const added = sessions.filter((id) =>
    store.begin(id, { board: directory, project: null }, nowMs),
  );
  const runs = readLiveLeases(driver, nowMs, isProcessDead).size > 0 ? "yes" : "no";
  const host =
    runs === "yes"
      ? "It starts after the next turn in this folder."
      : "No session is open now: it starts with the next turn in this folder.";
  const text =
    added.length === 0
      ? "Nothing to start: it is already running, or there is no session here."
      : `${renderCount(added.length, "session")} will be summarised again. ${host}`;
  return { text, values: { begun: added, opencode: runs } };
}

function stopSessions({ driver }: CliCall, sessions: readonly SessionId[]): CliAnswer {
  const store = createResummaryStore(driver);
  const ended = sessions.filter((id) => store.stop(id));
  const text = ended.length === 0 ? "Nothing to stop." : `Stopped: ${ended.join(", ")}.`;
  return { text, values: { stopped: ended } };
}

function listSessions({ driver, directory }: CliCall, sessions: readonly SessionId[]): CliAnswer {
  const store = createResummaryStore(driver);
  const all = sessions.flatMap((id) => store.newest(id) ?? []);
  const lines = all.map((one) => `${one.sessionId}  ${describeProgress(one)}`);
  const none = `No session of ${directory} is or was summarised again.`;
  return { text: lines.length === 0 ? none : lines.join("\n"), values: { sessions: all } };
}
