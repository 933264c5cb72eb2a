// Reports memory maintenance of a session's folder in the status.
import type { ReadSection } from "../../status/section.ts";
import { count, counted } from "../../status/wording.ts";
import { describeRunState } from "./report.ts";
import { runStore } from "./run-store.ts";
import { runTable } from "./run-table.ts";

export const maintenanceSection: ReadSection = (driver) => (sessionId) => {
  const row = driver.get(SELECT_NEWEST, sessionId);
  if (!row) return null;
  const run = runTable.read(row);
  const store = runStore(driver);
  const changes = store.changes(run.id);
  const number = (state: string) => changes.filter((change) => change.state === state).length;
  const state = describeRunState(run);
  const parts = [
    `${run.task}: ${state}`,
    `${counted(number("done"), "change")}, ${count(number("refused"))} refused`,
    counted(store.tokens(run.id), "token"),
  ];
  return {
    label: "Upkeep",
    text: `Run ${run.id}, ${parts.join("; ")}.`,
    short: run.endedAtMs === null ? `${run.task} is running` : null,
  };
};

const SELECT_NEWEST = `
  SELECT ${runTable.columns} FROM upkeep_run WHERE directory =
    (SELECT directory FROM epoch WHERE session_id = ? ORDER BY seq DESC LIMIT 1)
  ORDER BY id DESC LIMIT 1`;
