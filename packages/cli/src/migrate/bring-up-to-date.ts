// Copies the database aside and migrates it schema by schema.
import { chmodSync, rmSync } from "node:fs";
import type { Driver } from "../../../plugin/src/storage/driver.ts";
import { withStorageErrors } from "../../../plugin/src/storage/errors.ts";
import { migrateTo, schemaVersion } from "../../../plugin/src/storage/migrations.ts";
import { runtimeDriver } from "../../../plugin/src/storage/open-driver.ts";
import { CliError } from "../cli-error.ts";
import { refuseOpen } from "../database/refuse-open.ts";
import type { Progress } from "../terminal/progress.ts";
import type { MigrationPlan } from "./plan.ts";

/** Copies the database aside, then takes it from step to step, each in a transaction of its own. */
export async function bringUpToDate(
  { path, from, to, backup }: MigrationPlan,
  progress: Progress,
): Promise<void> {
  await refuseOpen(
    path,
    "End it, then try again; or start OpenCode with the newer plugin, which does the same.",
  );
  const openDriver = await runtimeDriver();
  const driver = withStorageErrors(openDriver(path), path, () => undefined);
  try {
    driver.exec("PRAGMA busy_timeout = 5000; PRAGMA foreign_keys = ON");
    progress.step("Copying the database aside");
    copyTo(driver, backup);
    for (let version = from + 1; version <= to; version += 1) {
      progress.step(`Schema ${version} of ${to}`);
      migrateTo(driver, version);
    }
    progress.step("Checking the database");
    check(driver, to, backup);
  } finally {
    driver.close();
  }
}

/** A whole and settled copy, with what only the WAL holds. */
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
  if (sound && whole && schemaVersion(driver) === to) return;
  throw new CliError(
    "migration-unsound",
    "The database is not sound after the migration.",
    `What it was before is in ${backup}: put that in its place, and report this.`,
  );
}
