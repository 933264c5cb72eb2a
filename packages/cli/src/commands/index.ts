// `session-runtime index`.

import { IndexFile } from "../../../plugin/src/index/file.ts";
import { indexPath, occupantOf, PlaceTaken } from "../../../plugin/src/index/place.ts";
import { folderId, type ProjectId } from "../../../plugin/src/project/project.ts";
import { indexAtOnce } from "../../../plugin/src/rooms/recall/index-at-once.ts";
import { counted, size } from "../../../plugin/src/status/wording.ts";
import type { Driver, OpenDriver } from "../../../plugin/src/storage/driver.ts";
import { runtimeDriver } from "../../../plugin/src/storage/open-driver.ts";
import { CliError, EXIT } from "../cli-error.ts";
import { dataCommand } from "../database/data-command.ts";
import type { Environment } from "../host/places.ts";
import { readHostHistory } from "../host-history/open.ts";
import {
  type HostSession,
  hostSessions,
  isOfHost,
  messagesOf,
} from "../host-history/whole-sessions.ts";
import { projectsOf, withPlaces } from "../search/project-ids.ts";
import { type Progress, withProgress } from "../terminal/progress.ts";
import { printJson, printLine } from "../terminal/terminal.ts";

export const indexSessions = dataCommand({
  name: "index",
  summary: "Index OpenCode's sessions for search",
  details: [
    "Reads OpenCode's own database, and writes only the search index: a file beside the",
    "runtime's database that holds the texts of your sessions, and can be deleted at any time.",
    "What is indexed already is skipped; sessions that OpenCode has deleted leave the index.",
  ],
  args: { here: { type: "boolean", description: "Only the sessions of this folder" } },
  examples: [{ line: "session-runtime index", does: "indexes all sessions" }],
  run: async (args, terminal, place) => {
    const path = indexPath(place.path);
    refuseTaken(path);
    const which = args.here === true ? "here" : "all";
    const openDriver = await runtimeDriver();
    const projects = await projectsHere(terminal.env, place.path);
    const done = await withProgress(terminal, "Indexing", async (progress) => {
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
        `Indexed ${counted(done.sessions, "session")} with ${counted(done.parts, "text")} and results: ${size(done.bytes)}, ${path}`,
      );
    }
    return EXIT.done;
  },
});

function refuseTaken(path: string): void {
  const occupant = occupantOf(path);
  if (occupant === null) return;
  const { message } = new PlaceTaken(path, occupant);
  const advice = `Move it away, then run the command again: mv ${path} ${path}.away`;
  throw new CliError("index-place-taken", message, advice);
}

/** Git is asked once for each folder, before the host's database is held. */
async function projectsHere(env: Environment, path: string) {
  const sessions = await readHostHistory(env, hostSessions);
  if (sessions.kind !== "read") return new Map<string, ProjectId>();
  return withPlaces(path, (places) => projectsOf(sessions.value, places));
}

interface Asked {
  readonly which: "all" | "here";
  readonly openDriver: OpenDriver;
  readonly progress: Progress;
  /** By folder. */
  readonly projects: ReadonlyMap<string, ProjectId>;
}

interface Indexed {
  readonly sessions: number;
  readonly parts: number;
  readonly bytes: number;
}

function indexAll(host: Driver, path: string, asked: Asked): Indexed {
  const { which, openDriver, progress, projects } = asked;
  const file = new IndexFile({ path, openDriver, notice: () => undefined });
  try {
    const all = hostSessions(host);
    const wanted = which === "all" ? all : all.filter(isHere);
    for (const [at, session] of wanted.entries()) {
      progress.step(`Indexing session ${at + 1} of ${wanted.length}`);
      const { id: sessionId, directory } = session;
      // A session that has begun since is of its folder until it is at work.
      const project = projects.get(directory) ?? folderId(directory);
      indexAtOnce(file, { sessionId, project }, { messages: messagesOf(host, session), directory });
    }
    return file.use((store) => {
      const known = new Set(all.map(({ id }) => id));
      for (const id of store.sessionIds()) {
        if (isOfHost(id) && !known.has(id)) store.removeSession(id);
      }
      const parts = wanted.reduce((sum, { id }) => sum + store.documents(id).length, 0);
      return { sessions: wanted.length, parts, bytes: file.sizeBytes };
    });
  } finally {
    file.close();
  }
}

function isHere({ directory }: HostSession): boolean {
  return directory === process.cwd();
}
