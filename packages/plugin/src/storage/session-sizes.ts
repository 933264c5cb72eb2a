// Roughly how many bytes each session takes.
import type { Driver } from "./driver.ts";
import type { SessionId } from "./records.ts";
import { tables } from "./tables.ts";

/** About what the other columns of a row take, with its place in the indexes. */
const ROW_BYTES = 200;

/** About how many bytes each session takes in the file. */
export function sessionSizes(driver: Driver): ReadonlyMap<SessionId, number> {
  const sizes = new Map<SessionId, number>();
  for (const { name, longColumns, rules } of tables) {
    const { sessionColumn: owner } = rules;
    if (owner === null) continue;
    const texts = longColumns.map((column) => `coalesce(length(CAST(${column} AS BLOB)), 0)`);
    const sum = `sum(${[ROW_BYTES, ...texts].join(" + ")})`;
    const sql = `SELECT ${owner} AS id, ${sum} AS bytes FROM ${name} WHERE ${owner} IS NOT NULL GROUP BY ${owner}`;
    for (const row of driver.all(sql)) {
      const id = String(row.id) as SessionId;
      sizes.set(id, (sizes.get(id) ?? 0) + Number(row.bytes));
    }
  }
  return sizes;
}
