// `session-runtime status`.
import { statusSections } from "../../../plugin/src/feature-api/feature.ts";
import { loadFeatures } from "../../../plugin/src/features/list.ts";
import { readStatus, type SessionStatus } from "../../../plugin/src/status/model.ts";
import { renderStatus } from "../../../plugin/src/status/render.ts";
import { gatherStored, type StatusDeps } from "../../../plugin/src/status/report.ts";
import { readHealth } from "../../../plugin/src/storage/database.ts";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { StorageError } from "../../../plugin/src/storage/errors.ts";
import { overviewStore } from "../../../plugin/src/storage/overview-store.ts";
import type { SessionId } from "../../../plugin/src/storage/records.ts";
import { EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { dressReport } from "../sessions/dress-report.ts";
import { printJson, printLine } from "../terminal/terminal.ts";

const sections = await statusSections(await loadFeatures(process.env));

export const status = dataCommand({
  name: "status",
  summary: "Show a session: epoch, sources, updates, cache, queued prompts",
  details: [
    "It shows what /ctx-status does, from the database, so OpenCode need not run. What only the",
    "running host knows (warnings, sources that fail now, undone updates) is left out, and",
    "the report says so.",
  ],
  args: {
    session: SESSION_ARGUMENT,
    watch: {
      type: "boolean",
      alias: "w",
      description: "Keep running and show each change; with --json, one line each",
    },
  },
  examples: [
    { line: "session-runtime status", does: "the newest session of this folder" },
    { line: "session-runtime status --watch", does: "the same, as it changes; Ctrl-C ends it" },
    { line: "session-runtime status ses_1a2b --json", does: "one session's figures for a script" },
  ],
  run: async (args, terminal, place) => {
    const read = (driver: Driver) => {
      const { sessionId } = chooseSession(driver, args.session, process.cwd());
      return storedStatus(driver, place.path, sessionId);
    };
    if (args.watch === true) {
      const { watchStatus } = await import("../sessions/watch-status.ts");
      return watchStatus(terminal, place, { read, form: args.json === true ? "json" : "report" });
    }
    const found = await reading(place, read);
    const { storage } = found;
    if (storage.kind === "unreadable") throw new StorageError(storage.code, storage.message);
    if (args.json === true) printJson(terminal, found);
    else printLine(terminal, dressReport(renderStatus(found), terminal.style));
    return EXIT.done;
  },
});

/** Builds a session's status from the database, with the read model of /ctx-status. */
function storedStatus(driver: Driver, path: string, sessionId: SessionId): SessionStatus {
  const deps: StatusDeps = {
    overview: overviewStore(driver),
    health: () => readHealth(driver, path),
    store: (make) => make(driver),
  };
  const asked = { sessionId, nowMs: Date.now() };
  const stored = gatherStored(() => deps, { ...asked, shown: null }, sections);
  return readStatus({ ...asked, stored }, null);
}
