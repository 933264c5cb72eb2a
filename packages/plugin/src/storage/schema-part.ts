// Part of the schema that one owner brings: its tables, and the steps that make them.
import type { AnyTable } from "./table.ts";

/**
 * One step of the schema. All owners share one sequence of versions, as the file has one version: a new
 * step takes the next number, whoever brings it; what several change together is one step. A released one never changes; K4's fixtures notice.
 */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

/** A table that is gone. An export of its time is put into a database of its time, and brought up to date. */
export interface FormerTable {
  readonly name: string;
  readonly sessionColumn: string;
}

export interface SchemaPart {
  /** In the order in which a session's rows can be put in: what others refer to comes first. */
  readonly tables: readonly AnyTable[];
  /** Tables of earlier versions, whose rows exports have. */
  readonly former?: readonly FormerTable[];
  readonly migrations: readonly Migration[];
}
