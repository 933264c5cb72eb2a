// Replaces a database of a development version: its content is copied aside, and what the user would miss
// comes into the new schema.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import type { Driver, OpenDriver } from "./driver.ts";
import { FILE_MODE } from "./files.ts";
import { createSchema, isDevelopmentSchema, schemaVersion } from "./migrations.ts";
import { insertSalvaged, readSalvaged } from "./salvage.ts";
import type { Schema } from "./schema.ts";

interface Replacing {
  /** The connection waits for locks, and has no open transaction. */
  readonly driver: Driver;
  readonly path: string;
  readonly schema: Schema;
  readonly openDriver: OpenDriver;
  readonly nowMs: number;
}

/** Describes a development version's database that has been replaced. */
export interface ReplacedDevelopment {
  /** The path of the complete copy. */
  readonly aside: string;
  /** The replaced database's schema version. */
  readonly version: number;
  /** The file that holds the salvaged content as Markdown; null if there was nothing to salvage. */
  readonly markdown: string | null;
  /** Counts what was salvaged in words, such as "3 notes". */
  readonly kept: readonly string[];
  /** Counts rows that don't fit the new schema and remain only in the copy. */
  readonly left: number;
}

/**
 * Replaces a development version's database. Everything happens under one write lock, in one transaction: of
 * processes that race, one does it, and a process that dies leaves the database as it was. The copy and the
 * Markdown are on the disk, under their final names, before the transaction commits.
 * @returns null where the database is of no development version, or another process was first
 */
export function replaceDevelopment(replacing: Replacing): ReplacedDevelopment | null {
  const { driver, path } = replacing;
  if (!isDevelopmentSchema(schemaVersion(driver))) return null;
  // Dropping a table must not delete the rows that refer to it: all of them are dropped anyway.
  driver.exec("PRAGMA foreign_keys = OFF");
  const drafts = { copy: `${path}.moving`, markdown: `${path}.moving.md` };
  return driver.transaction(() => {
    const version = schemaVersion(driver);
    if (!isDevelopmentSchema(version)) return null;
    try {
      return replace(replacing, version, drafts);
    } finally {
      // Drafts left over from this or an earlier attempt go; under the lock no other process writes any.
      for (const file of Object.values(drafts)) rmSync(file, { force: true });
    }
  });
}

function replace(
  { driver, path, schema, openDriver, nowMs }: Replacing,
  version: number,
  drafts: { readonly copy: string; readonly markdown: string },
): ReplacedDevelopment {
  copy(openDriver, path, drafts.copy);
  const salvaged = readSalvaged(driver, schema);
  dropAll(driver);
  createSchema(driver, schema);
  const { kept, left } = insertSalvaged(driver, salvaged);
  const text = schema.salvages
    .map(({ toMarkdown }) => toMarkdown(driver))
    .filter((one) => one !== "")
    .join("\n");
  const aside = `${path}.development-${version}-${new Date(nowMs).toISOString().replace(/[-:.]/g, "")}`;
  const markdown = text === "" ? null : `${aside}.md`;
  if (markdown !== null) {
    writeFileSync(drafts.markdown, text, { mode: FILE_MODE });
    flush(drafts.markdown);
    renameSync(drafts.markdown, markdown);
  }
  renameSync(drafts.copy, aside);
  return { aside, version, markdown, kept, left };
}

/**
 * Makes a complete and consistent copy, including what is only in the WAL. It uses another connection, because
 * SQLite can't copy within a transaction; this connection's write lock prevents changes meanwhile.
 */
function copy(openDriver: OpenDriver, path: string, target: string): void {
  rmSync(target, { force: true });
  const reader = openDriver(path);
  try {
    reader.run("VACUUM INTO ?", target);
  } finally {
    reader.close();
  }
  chmodSync(target, FILE_MODE);
  flush(target);
}

function flush(path: string): void {
  const file = openSync(path, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function dropAll(driver: Driver): void {
  const tables = driver.all(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  );
  for (const { name } of tables) driver.exec(`DROP TABLE "${name}"`);
}
