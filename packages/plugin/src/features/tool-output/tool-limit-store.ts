// The store of how many tools providers have said that they take, and the table that it brings.
import { integer, nullable, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { noSessionRules, type RowOf, table } from "../../storage/table.ts";

/** A folder's servers and an agent's permissions make the list of tools, whatever session it is. */
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
    /** The number of tools that the refused call had beside ours; null where the provider didn't say. */
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

export function toolLimitStore(driver: Driver) {
  const limits = toolLimitTable.in(driver);
  return {
    /** The newest statement counts. */
    put: (limit: ToolLimitRecord): void => limits.upsert(limit),
    /** Returns null where no limit was stated. */
    of: (key: ToolLimitKey): ToolLimitRecord | null => limits.find(key),
    /** The folder offers fewer tools now. */
    forget: (directory: string): void => void limits.delete({ directory }),
  };
}
