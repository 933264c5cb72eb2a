// Part of the schema that one owner brings: its tables, and how later versions change them.
import type { Driver } from "./driver.ts";
import type { AnyTable } from "./table.ts";

/**
 * One step from a released schema to the next, for databases that are there; a new one is made from the
 * tables as they are declared. All owners share one sequence of versions, as the file has one version: a
 * new step takes the next number, whoever brings it, and what several change together is one step. A
 * released one never changes.
 */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

export interface SchemaModule {
  /** In the order in which a session's rows can be put in: what others refer to comes first. */
  readonly tables: readonly AnyTable[];
  /** SQL that runs once, after all tables of a new database are made: triggers on others' tables, first rows. */
  readonly setUp?: string;
  readonly migrations?: readonly Migration[];
  /** What a database of a development version has that the user would miss. */
  readonly salvage?: Salvage;
}

/** How rows of a development version come into a database of this one. */
export interface Salvage {
  /** In this order, by the columns that both versions have. */
  readonly tables: readonly SalvagedTable[];
  /** These rows in the new database, as a person can read them; empty: there are none. */
  readonly toMarkdown: (driver: Driver) => string;
}

export interface SalvagedTable {
  readonly table: AnyTable;
  /** A condition in SQL that a row must meet. */
  readonly where: string;
  /** What a row is for the user, in the singular and the plural; null: it only belongs to others. */
  readonly noun: readonly [one: string, several: string] | null;
  /** Whether a new database has rows of it already, which give way. */
  readonly isSetUp: boolean;
}
