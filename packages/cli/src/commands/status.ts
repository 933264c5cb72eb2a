// `session-runtime status`.
import { loadStatusSections } from "@session-runtime/opencode/feature-api/feature";
import { loadFeatures } from "@session-runtime/opencode/features/list";
import { readStatus, type SessionStatus } from "@session-runtime/opencode/status/model";
import { renderStatus } from "@session-runtime/opencode/status/render";
import { gatherStoredState, type StatusDeps } from "@session-runtime/opencode/status/report";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { readHealth } from "@session-runtime/opencode/storage/health";
import { createOverviewStore } from "@session-runtime/opencode/storage/overview-store";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import { EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { chooseSession, SESSION_ARGUMENT } from "../sessions/choose-session.ts";
import { dressReport } from "../sessions/dress-report.ts";
import { printJson, printLine } from "../terminal/terminal.ts";

const sections = await loadStatusSections(await loadFeatures(process.env));

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
    overview: createOverviewStore(driver),
    health: () => readHealth(driver, path),
    store: (make) => make(driver),
  };
  const asked = { sessionId, nowMs: Date.now() };
  const stored = gatherStoredState(() => deps, { ...asked, shown: null }, sections);
  return readStatus({ ...asked, stored }, null);
}
