// Copies the database aside and migrates it schema by schema, or replaces one of a development version.
// Folder: Brings the database to this version's schema.
import { chmodSync, existsSync, rmSync } from "node:fs";
import { connect, withConnection } from "@session-runtime/opencode/storage/connect";
import type { DevelopmentReplacement } from "@session-runtime/opencode/storage/development";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import {
  isDevelopmentSchema,
  migrateTo,
  readSchemaVersion,
  refuseUnknownSchema,
} from "@session-runtime/opencode/storage/migrations";
import { openRuntimeDatabase } from "@session-runtime/opencode/storage/open";
import { CliError } from "../cli-error.ts";
import { missingDatabase } from "../database/refusal.ts";
import { refuseOpen } from "../database/refuse-open.ts";
import { schema } from "../database/schema.ts";
import type { Progress } from "../terminal/progress.ts";

/** Describes the planned migration of the database. */
interface MigrationPlan {
  /** `replace` is for a database of a development version. */
  readonly kind: "update" | "replace";
  readonly path: string;
  /** The schema version before; `to` is the one after. */
  readonly from: number;
  readonly to: number;
  /** The path of the backup; for `replace`, the beginning of its name. */
  readonly backup: string;
}

/** Reads the schema version of our database. @throws StorageError for a newer one, or another application's */
async function readVersion(path: string): Promise<number> {
  if (!existsSync(path)) throw missingDatabase(path);
  return withConnection(connect(path, "read", "PRAGMA busy_timeout = 5000"), (driver) => {
    driver.read(() => refuseUnknownSchema(driver, path, schema));
    return readSchemaVersion(driver);
  });
}

/** Plans the migration; null where the database is up to date. */
export async function planMigration(path: string, nowMs: number): Promise<MigrationPlan | null> {
  const from = await readVersion(path);
  if (from === schema.version) return null;
  const plan = { path, from, to: schema.version } as const;
  if (isDevelopmentSchema(from)) {
    return { ...plan, kind: "replace", backup: `${path}.development-${from}-` };
  }
  const stamp = new Date(nowMs).toISOString().replace(/[-:.]/g, "");
  return { ...plan, kind: "update", backup: `${path}.schema-${from}-${stamp}` };
}

const SETTINGS = "PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON";

const IN_USE =
  "Close it, then try again; or start OpenCode with the newer plugin, which does the same.";

/** Moves a development version's database aside and makes a new one. @returns null where another process was first */
export async function replaceDevelopment({
  path,
}: Pick<MigrationPlan, "path">): Promise<DevelopmentReplacement | null> {
  await refuseOpen(path, IN_USE);
  const { database, movedAside } = await openRuntimeDatabase({ path, schema });
  database.close();
  return movedAside?.kind === "development" ? movedAside : null;
}

/** Backs up the database, then runs each migration in a transaction of its own. */
export async function bringUpToDate(
  { path, from, to, backup }: MigrationPlan,
  progress: Progress,
): Promise<void> {
  await refuseOpen(path, IN_USE);
  await withConnection(connect(path, "write", SETTINGS), (driver) => {
    progress.step("Backing up the database");
    copyTo(driver, backup);
    for (let version = from + 1; version <= to; version += 1) {
      progress.step(`Schema ${version} of ${to}`);
      migrateTo(driver, schema, version);
    }
    progress.step("Checking the database");
    check(driver, to, backup);
  });
}

/** Makes a complete copy, including what only the WAL holds. */
function copyTo(driver: Driver, backup: string): void {
  try {
    driver.run("VACUUM INTO ?", backup);
    chmodSync(backup, 0o600);
  } catch (error) {
    rmSync(backup, { force: true });
    throw error;
  }
}

function check(driver: Driver, to: number, backup: string): void {
  const sound = driver.get("PRAGMA quick_check(1)")?.quick_check === "ok";
  const whole = driver.get("PRAGMA foreign_key_check") === null;
  if (sound && whole && readSchemaVersion(driver) === to) return;
  throw new CliError(
    "migration-unsound",
    "The migration has damaged the database.",
    `Its backup is ${backup}: replace the database with it, and report this.`,
  );
}
