// `session-runtime index`.

import { indexWholeHistory } from "@session-runtime/opencode/features/search/indexer";
import { findProject } from "@session-runtime/opencode/project/find-project";
import { IndexFile } from "@session-runtime/opencode/search-index/file";
import {
  findOccupant,
  IndexPathBlockedError,
  toIndexPath,
} from "@session-runtime/opencode/search-index/place";
import {
  makeLinesVisible,
  renderCount,
  renderSize,
} from "@session-runtime/opencode/status/wording";
import { loadRuntimeDriver } from "@session-runtime/opencode/storage/connect";
import type { Driver, OpenDriver } from "@session-runtime/opencode/storage/driver";
import { CliError, EXIT } from "../cli-error.ts";
import { dataCommand } from "../database/data-command.ts";
import type { Environment } from "../host/places.ts";
import { readHostHistory } from "../host-history/open.ts";
import {
  type HostSession,
  hostSessions,
  isOpenCodeSessionId,
  readMessages,
} from "../host-history/whole-sessions.ts";
import { type FolderProjects, findProjects, withPlaces } from "../search/project-ids.ts";
import { type SkippedFolder, skippedText, withoutSilent } from "../search/silent-folders.ts";
import { type Progress, withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";

export const indexSessions = dataCommand({
  name: "index",
  summary: "Index OpenCode's sessions for search",
  details: [
    "It reads OpenCode's own database, and writes only the search index: a file beside the",
    "runtime's database that holds the texts of your sessions, and can be deleted at any time.",
    "What is already indexed is skipped; sessions that OpenCode has deleted are removed from it.",
    "If git gives no answer in a folder, its sessions are left out, and the exit code is 1.",
  ],
  args: { here: { type: "boolean", description: "Only the sessions of this folder" } },
  examples: [{ line: "session-runtime index", does: "indexes all sessions" }],
  run: async (args, terminal, place) => {
    const path = toIndexPath(place.path);
    refuseTaken(path);
    const which = args.here === true ? "here" : "all";
    const openDriver = await loadRuntimeDriver();
    const done = await withProgress(terminal, "Indexing", async (progress) => {
      const projects = await projectsHere(terminal.env, place.path, which);
      const reading = await readHostHistory(terminal.env, (host) =>
        indexAll(host, path, { which, openDriver, progress, projects }),
      );
      if (reading.kind === "read") return reading.value;
      throw new CliError(
        "host-unreadable",
        `OpenCode's database ${reading.path} can't be read: ${reading.reason}.`,
        "There is nothing to index before OpenCode's first session; Pi's sessions are indexed as they run.",
        EXIT.missing,
      );
    });
    if (args.json === true) printJson(terminal, { path, ...done });
    else {
      printLine(
        terminal,
        `Indexed ${renderCount(done.sessions, "session")} with ${renderCount(done.parts, "text")} and results: ${renderSize(done.bytes)}, ${path}`,
      );
    }
    if (done.skipped.length === 0) return EXIT.done;
    terminal.err.write(`${makeLinesVisible(skippedText(done.skipped))}\n`);
    return EXIT.failed;
  },
});

function refuseTaken(path: string): void {
  const occupant = findOccupant(path);
  if (occupant === null) return;
  const { message } = new IndexPathBlockedError(path, occupant);
  const advice = `Move it away, then run the command again: mv ${path} ${path}.away`;
  throw new CliError("index-place-taken", message, advice);
}

/** Finds projects: git is asked once for each folder, before the host's database is held. */
async function projectsHere(
  env: Environment,
  path: string,
  which: SessionChoice,
): Promise<FolderProjects> {
  const sessions = await readHostHistory(env, (host) => selectSessions(hostSessions(host), which));
  if (sessions.kind !== "read") return new Map();
  return withPlaces(path, (places) =>
    findProjects(sessions.value, async (directory) => (await findProject(directory, places)).id),
  );
}

type SessionChoice = "all" | "here";

interface IndexRequest {
  readonly which: SessionChoice;
  readonly openDriver: OpenDriver;
  readonly progress: Progress;
  readonly projects: FolderProjects;
}

interface IndexResult {
  readonly sessions: number;
  readonly parts: number;
  readonly bytes: number;
  readonly skipped: readonly SkippedFolder[];
}

function indexAll(host: Driver, path: string, asked: IndexRequest): IndexResult {
  const { which, openDriver, progress, projects } = asked;
  const file = new IndexFile({ path, openDriver, notice: () => undefined, over: () => undefined });
  try {
    const all = hostSessions(host);
    const { wanted, skipped } = withoutSilent(selectSessions(all, which), projects);
    for (const [at, { session, project }] of wanted.entries()) {
      progress.step(`Indexing session ${at + 1} of ${wanted.length}`);
      const { id: sessionId, directory } = session;
      indexWholeHistory(
        file,
        { sessionId, project },
        { messages: readMessages(host, session), directory },
      );
    }
    return file.use((store) => {
      const known = new Set(all.map(({ id }) => id));
      for (const id of store.listSessionIds()) {
        if (isOpenCodeSessionId(id) && !known.has(id)) store.removeSession(id);
      }
      const parts = wanted.reduce(
        (sum, { session: { id } }) => sum + store.listDocuments(id).length,
        0,
      );
      return { sessions: wanted.length, parts, bytes: file.sizeBytes, skipped };
    });
  } finally {
    file.close();
  }
}

function selectSessions(
  sessions: readonly HostSession[],
  which: SessionChoice,
): readonly HostSession[] {
  const folder = process.cwd();
  return which === "all" ? sessions : sessions.filter(({ directory }) => directory === folder);
}
