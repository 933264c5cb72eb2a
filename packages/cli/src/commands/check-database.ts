// Checks the whole database, for doctor, where SQLite is available.
import { outboxOf } from "../../../plugin/src/team/section.ts";
import { EXIT } from "../cli-error.ts";
import { dataCommand, reading } from "../database/data-command.ts";
import { printJson } from "../terminal/terminal.ts";

/** How many complaints of SQLite are worth reading. */
const COMPLAINTS = 3;

/** What `doctor` asks of the database, in a process that has SQLite. Not for people. */
export const checkDatabase = dataCommand({
  name: "check-database",
  summary: "Checks the whole database for doctor.",
  details: [],
  args: {},
  examples: [],
  run: async (_args, terminal, place) => {
    const { rows, outbox } = await reading(place, (driver) => ({
      rows: driver.all(`PRAGMA integrity_check(${COMPLAINTS})`),
      outbox: outboxOf(driver, Date.now()),
    }));
    const complaints = rows
      .map(({ integrity_check }) => String(integrity_check))
      .filter((line) => line !== "ok");
    const state = complaints.length === 0 ? "sound" : "database-corrupt";
    printJson(terminal, { state, reason: complaints.join("; "), outbox });
    return EXIT.done;
  },
});
