// Stores the limits that providers have stated; declares their table.
import { integer, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { ofNoSession, type RowOf, table } from "../../storage/table.ts";

/**
 * The limits belong to no session: they hold for all of them. They stay on this machine, because another machine's
 * provider may state others.
 */
const limitTable = table(
  "model_limit",
  {
    providerId: text,
    modelId: text,
    /** The number of tokens that a model takes in one call, as the provider stated it in a refusal. */
    tokens: integer,
    /** When it was stated, in milliseconds since 1970. */
    statedAtMs: integer,
  },
  {
    ...{ key: ["providerId", "modelId"], ...ofNoSession },
    sql: { columns: { tokens: "CHECK (tokens > 0)" }, layout: "by key" },
  },
);

export type LimitRecord = RowOf<typeof limitTable>;

export const limitTables: SchemaModule = { tables: [limitTable] };

export function limitStore(driver: Driver) {
  const limits = limitTable.in(driver);
  return {
    /** Replaces an earlier statement: the newest one counts. */
    put: (limit: LimitRecord): void => limits.upsert(limit),
    /** Returns null if no limit was stated. */
    of: (providerId: string, modelId: string): LimitRecord | null =>
      limits.find({ providerId, modelId }),
  };
}
