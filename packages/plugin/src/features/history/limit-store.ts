// The store of the limits that providers have stated, and the table that it brings.
import { integer, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { ofNoSession, type RowOf, table } from "../../storage/table.ts";

/** No session's: it holds for all of them, and another machine's provider may say something else. */
const limitTable = table(
  "model_limit",
  {
    providerId: text,
    modelId: text,
    /** What a provider said that a model takes in one call, at a refusal. */
    tokens: integer,
    /** In milliseconds since 1970. */
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
    /** The newest statement counts. */
    put: (limit: LimitRecord): void => limits.upsert(limit),
    /** Null where none was stated. */
    of: (providerId: string, modelId: string): LimitRecord | null =>
      limits.find({ providerId, modelId }),
  };
}
