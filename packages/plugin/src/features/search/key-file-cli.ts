// Implements `session-runtime files`: the files that a project keeps coming back to.
import { existsSync } from "node:fs";
import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/command.ts";
import { hasIndex, toIndexPath } from "../../search-index/place.ts";
import { IndexStore } from "../../search-index/store.ts";
import { loadRuntimeReader } from "../../storage/connect.ts";
import type { SessionId } from "../../storage/records.ts";
import { NO_FILES_TEXT, rankFiles, readSessionTouches, renderFiles } from "./key-file-rank.ts";

export const filesCli: CliCommandCode = {
  details: [
    "Counts the sessions of this folder that are indexed. A file is listed once two",
    "of them have read or edited it. `keyFiles.pinned` and `keyFiles.banned` put files first or leave them out.",
  ],
  args: {},
  examples: [{ line: "session-runtime files", does: "lists them, the most used first" }],
  access: "reads",
  run: showKeyFiles,
};

async function showKeyFiles({ driver, directory }: CliCall): Promise<CliAnswer> {
  const main = driver.all("PRAGMA database_list").find(({ name }) => name === "main");
  const path = toIndexPath(String(main?.file ?? ""));
  const sessions = driver
    .all(SELECT_SESSIONS, directory, directory)
    .map((row) => String(row.session_id) as SessionId);
  if (!hasIndex(path)) return { text: NO_FILES_TEXT, values: { files: [] } };
  const open = await loadRuntimeReader();
  const index = new IndexStore(open(path));
  try {
    const files = rankFiles(sessions.flatMap((session) => readSessionTouches(index, session)));
    const fileExists = ({ path: file }: { readonly path: string }) =>
      existsSync(`${directory}/${file}`);
    const there = files.filter(fileExists);
    const text = there.length === 0 ? NO_FILES_TEXT : renderFiles(there, () => false, []);
    return { text, values: { files: there } };
  } finally {
    index.driver.close();
  }
}

const SELECT_SESSIONS = `
  SELECT DISTINCT session_id FROM epoch WHERE directory = ? OR worktree = ?`;
