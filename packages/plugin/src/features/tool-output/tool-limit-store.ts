// Stores how many tools providers have said they take, and declares the table for it.
import { integer, nullable, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { noSessionRules, type RowOf, table } from "../../storage/table.ts";

/** A folder's servers and an agent's permissions determine the list of tools, whatever the session. */
const toolLimitTable = table(
  "tool_limit",
  {
    /** Absolute path. */
    directory: text,
    agent: text,
    providerId: text,
    modelId: text,
    /** The number of tools that the provider takes in one call. */
    most: integer,
    /** The number of tools in the refused call that were not ours; null if the provider didn't say. */
    others: nullable(integer),
    /** The time of the statement, in milliseconds since 1970. */
    statedAtMs: integer,
  },
  {
    ...{ key: ["directory", "agent", "providerId", "modelId"], ...noSessionRules },
    sql: {
      columns: { most: "CHECK (most > 0)", others: "CHECK (others >= 0)" },
      layout: "by key",
    },
  },
);

type ToolLimitRecord = RowOf<typeof toolLimitTable>;
export type ToolLimitKey = Pick<ToolLimitRecord, "directory" | "agent" | "providerId" | "modelId">;

export const toolLimitTables: SchemaModule = { tables: [toolLimitTable] };

export function createToolLimitStore(driver: Driver) {
  const limits = toolLimitTable.in(driver);
  return {
    /** Stores a limit; the newest statement counts. */
    put: (limit: ToolLimitRecord): void => limits.upsert(limit),
    /** Returns null if no limit was stated. */
    of: (key: ToolLimitKey): ToolLimitRecord | null => limits.find(key),
    /** Deletes the folder's limits, since it offers fewer tools now. */
    forget: (directory: string): void => void limits.delete({ directory }),
  };
}
