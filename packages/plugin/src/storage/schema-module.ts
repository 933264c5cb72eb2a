// Part of the schema that one owner brings: its tables, and how later versions change them.
import type { Driver } from "./driver.ts";
import type { AnyTable } from "./table.ts";

/**
 * Migrates existing databases from one released schema to the next; a new database is made from the tables as
 * they are declared. All owners share one sequence of versions, because the file has one version: a new
 * migration takes the next number, whoever brings it, and changes by several owners form one migration. A
 * released migration never changes.
 */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export interface SchemaModule {
  /** The tables in the order in which a session's rows can be inserted, referenced tables first. */
  readonly tables: readonly AnyTable[];
  /**
   * SQL that runs once, after all tables of a new database are made: triggers on others' tables, first rows.
   */
  readonly setUp?: string;
  readonly migrations?: readonly Migration[];
  /** Selects the data in a development version's database that the user would miss. */
  readonly salvage?: Salvage;
}

/** Says how rows of a development version come into a current database. */
export interface Salvage {
  /** The tables to copy, in this order, by the columns that both versions have. */
  readonly tables: readonly SalvagedTable[];
  /** Renders the copied rows in the new database as Markdown for people; empty if there are none. */
  readonly toMarkdown: (driver: Driver) => string;
}

export interface SalvagedTable {
  readonly table: AnyTable;
  /** A condition in SQL that a row must meet. */
  readonly where: string;
  /**
   * Names a row for the user, in the singular and the plural; null for rows that are only parts of other
   * rows.
   */
  readonly noun: readonly [one: string, several: string] | null;
  /** Says whether a new database already has rows of the table, which are then replaced. */
  readonly isSetUp: boolean;
}
