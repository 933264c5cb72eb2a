// Roughly how many bytes each session takes.
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";

/** The columns that hold texts of any length. */
const TEXTS = {
  epoch: ["baseline", "parts", "snapshot"],
  entry: ["edit", "told", "delta"],
  turn: ["new_message_ids", "digests"],
  session_input: ["preview", "prompt"],
  brief: ["text", "essentials", "carried"],
} as const;

/** About what the other columns of a row take, with its place in the indexes. */
const ROW_BYTES = 200;

/** About how many bytes each session takes in the file. */
export function sessionSizes(driver: Driver): ReadonlyMap<SessionId, number> {
  const sizes = new Map<SessionId, number>();
  for (const [table, columns] of Object.entries(TEXTS)) {
    const texts = columns.map((name) => `coalesce(length(CAST(${name} AS BLOB)), 0)`);
    const sum = `sum(${ROW_BYTES} + ${texts.join(" + ")})`;
    for (const row of driver.all(
      `SELECT session_id, ${sum} AS bytes FROM ${table} GROUP BY session_id`,
    )) {
      const id = String(row.session_id) as SessionId;
      sizes.set(id, (sizes.get(id) ?? 0) + Number(row.bytes));
    }
  }
  return sizes;
}
