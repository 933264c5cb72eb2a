// `session-runtime index`.

import { IndexFile } from "../../../plugin/src/index/file.ts";
import { indexPath, occupantOf, PlaceTaken } from "../../../plugin/src/index/place.ts";
import { indexAtOnce } from "../../../plugin/src/rooms/recall/index-at-once.ts";
import { counted, size } from "../../../plugin/src/status/wording.ts";
import type { Driver, OpenDriver } from "../../../plugin/src/storage/driver.ts";
import { runtimeDriver } from "../../../plugin/src/storage/open-driver.ts";
import { CliError, EXIT } from "../cli-error.ts";
import { dataCommand } from "../database/data-command.ts";
import { readHostHistory } from "../host-history/open.ts";
import { type HostSession, hostSessions, messagesOf } from "../host-history/whole-sessions.ts";
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
    const done = await withProgress(terminal, "Indexing", async (progress) => {
      const reading = await readHostHistory(terminal.env, (host) =>
        indexAll(host, path, { which, openDriver, progress }),
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

interface Asked {
  readonly which: "all" | "here";
  readonly openDriver: OpenDriver;
  readonly progress: Progress;
}

interface Indexed {
  readonly sessions: number;
  readonly parts: number;
  readonly bytes: number;
}

function indexAll(host: Driver, path: string, { which, openDriver, progress }: Asked): Indexed {
  const file = new IndexFile({ path, openDriver, notice: () => undefined });
  try {
    const all = hostSessions(host);
    const wanted = which === "all" ? all : all.filter(isHere);
    for (const [at, session] of wanted.entries()) {
      progress.step(`Indexing session ${at + 1} of ${wanted.length}`);
      const { id: sessionId, project, directory } = session;
      indexAtOnce(file, { sessionId, project }, { messages: messagesOf(host, session), directory });
    }
    return file.use((store) => {
      const known = new Set(all.map(({ id }) => id));
      for (const id of store.sessionIds()) if (!known.has(id)) store.removeSession(id);
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
