// The store of the limits that providers have stated, and the table that it brings.
import { integer, text } from "../storage/column.ts";
import type { Driver } from "../storage/driver.ts";
import type { SchemaPart } from "../storage/schema-part.ts";
import { ofNoSession, table } from "../storage/table.ts";

/** What a provider said that a model takes in one call, at a refusal. */
interface LimitRecord {
  readonly providerId: string;
  readonly modelId: string;
  readonly tokens: number;
  /** In milliseconds since 1970. */
  readonly statedAtMs: number;
}

interface LimitStore {
  /** The newest statement counts. */
  put(limit: LimitRecord): void;
  /** Null where none was stated since. */
  since(sinceMs: number, providerId: string, modelId: string): LimitRecord | null;
}

/** No session's: it holds for all of them, and another machine's provider may say something else. */
const limitTable = table<LimitRecord>(
  "model_limit",
  { providerId: text, modelId: text, tokens: integer, statedAtMs: integer },
  { key: ["providerId", "modelId"], ...ofNoSession },
);

const limitSchema = `
-- What providers said that a model takes, when they refused a call for its length.
CREATE TABLE model_limit (
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  tokens INTEGER NOT NULL CHECK (tokens > 0),
  stated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (provider_id, model_id)
) STRICT, WITHOUT ROWID;`;

export const limitTables: SchemaPart = {
  tables: [limitTable],
  migrations: [{ version: 10, sql: limitSchema }],
};

const REPLACE = `ON CONFLICT DO UPDATE
  SET tokens = excluded.tokens, stated_at_ms = excluded.stated_at_ms`;

const SELECT = `SELECT ${limitTable.columns} FROM model_limit
  WHERE provider_id = ? AND model_id = ? AND stated_at_ms >= ?`;

export function limitStore(driver: Driver): LimitStore {
  return {
    put: (limit) => driver.transaction(() => void limitTable.insert(driver, limit, REPLACE)),
    since(sinceMs, providerId, modelId) {
      const row = driver.get(SELECT, providerId, modelId, sinceMs);
      return row && limitTable.read(row);
    },
  };
}
