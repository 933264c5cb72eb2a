// What has to be done to the database.
// Folder: Brings the database to this version's schema.
import { latestVersion, schemaVersion } from "../../../plugin/src/storage/migrations.ts";
import { readingAnySchema } from "./schema-of.ts";

/** What is to be done to the database itself. */
export interface MigrationPlan {
  readonly path: string;
  /** Schema versions. */
  readonly from: number;
  readonly to: number;
  /** Where it is copied to before. */
  readonly backup: string;
}

/** Null where it is up to date. */
export async function planMigration(path: string, nowMs: number): Promise<MigrationPlan | null> {
  const from = await readingAnySchema(path, schemaVersion);
  if (from === latestVersion) return null;
  const stamp = new Date(nowMs).toISOString().replace(/[-:.]/g, "");
  return { path, from, to: latestVersion, backup: `${path}.schema-${from}-${stamp}` };
}
