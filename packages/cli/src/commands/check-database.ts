// Checks the whole database, for doctor, where SQLite is available.

import { findLeaks } from "@session-runtime/opencode/features/memory/mask-stored";
import { readOutbox } from "@session-runtime/opencode/features/team/section";
import { hasIndex, toIndexPath } from "@session-runtime/opencode/search-index/place";
import { connect, withConnection } from "@session-runtime/opencode/storage/connect";
import { StorageError } from "@session-runtime/opencode/storage/errors";
import { EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { printJson } from "../terminal/terminal.ts";

/** Limits SQLite's complaints to those worth reading. */
const MAX_COMPLAINTS = 3;

/** Checks the database for `doctor`, in a process that has SQLite. Not for people. */
export const checkDatabase = dataCommand({
  name: "check-database",
  summary: "Checks the whole database for doctor.",
  details: [],
  args: {},
  examples: [],
  run: async (_args, terminal, place) => {
    const { rows, outbox, leaks, hosts } = await reading(place, (driver) => ({
      rows: driver.all(`PRAGMA integrity_check(${MAX_COMPLAINTS})`),
      outbox: readOutbox(driver, Date.now()),
      leaks: findLeaks(driver),
      hosts: driver.all("SELECT harness FROM session").map(({ harness }) => harness ?? "opencode"),
    }));
    const complaints = rows
      .map(({ integrity_check }) => String(integrity_check))
      .filter((line) => line !== "ok");
    const index = await findProblem(toIndexPath(place.path));
    const state = complaints.length === 0 ? "sound" : "database-corrupt";
    printJson(terminal, {
      state,
      reason: complaints.join("; "),
      outbox,
      index,
      secrets: countByKind(leaks.map(({ kind }) => kind)),
      sessions: { opencode: 0, pi: 0, ...countByKind(hosts.map(String)) },
    });
    return EXIT.done;
  },
});

/** Counts by kind, and prints none of the texts. */
function countByKind(kinds: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/**
 * Returns null where nothing is wrong. The check is quick: an index may be large, and is rebuilt at the first
 * doubt.
 */
async function findProblem(path: string): Promise<string | null> {
  if (!hasIndex(path)) return null;
  try {
    const rows = await withConnection(connect(path, "read"), (driver) =>
      driver.all("PRAGMA quick_check(1)"),
    );
    const found = String(rows[0]?.quick_check);
    return found === "ok" ? null : found;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return error.code === "corrupt" ? "" : null;
  }
}
