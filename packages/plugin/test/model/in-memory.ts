import type { Row } from "./rows.ts";
import type { Agent } from "./world.ts";

/** The openings are the host's own; what follows does not matter. */
const PLAN = "<system-reminder>\n# Plan Mode - System Reminder\n\nPlan only.\n</system-reminder>";
const SWITCH =
  "<system-reminder>\nYour operational mode has changed from plan to build.\nYou may edit.\n</system-reminder>";

let pushes = 0;

/** What the host adds to the newest user message at each step, in memory only, under a new id. */
export function pushReminders(array: readonly Row[], agent: Agent): void {
  if (agent === "plan") push(array, PLAN);
  const wasPlan = array.some(({ info }) => info.role === "assistant" && info.agent === "plan");
  if (agent === "build" && wasPlan) push(array, SWITCH);
}

/** What another plugin adds there, loaded before ours; gives back the part's id. */
export function pushOwn(array: readonly Row[]): readonly string[] {
  return push(array, "A note of another plugin.");
}

function push(array: readonly Row[], text: string): readonly string[] {
  const row = array.findLast(({ info }) => info.role === "user");
  if (!row) return [];
  pushes += 1;
  const id = `prt_pushed_${pushes}`;
  const place = { messageID: row.info.id, sessionID: row.info.sessionID };
  const part = { id, ...place, type: "text", text, synthetic: true };
  row.parts.push(part);
  return [id];
}
