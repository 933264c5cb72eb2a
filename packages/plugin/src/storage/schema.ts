// The schema as a value: the core's tables and steps with those of the parts that are handed in.
import { corePart } from "./core-part.ts";
import type { FormerTable, Migration, SchemaPart } from "./schema-part.ts";
import type { AnyTable } from "./table.ts";

export interface Schema {
  /** In the order in which a session's rows can be put in: what others refer to comes first. */
  readonly tables: readonly AnyTable[];
  readonly former: readonly FormerTable[];
  /** In the order of their versions. */
  readonly migrations: readonly Migration[];
  /** That of the newest migration. */
  readonly version: number;
}

export function schemaOf(parts: readonly SchemaPart[]): Schema {
  const all = [corePart, ...parts];
  const steps = new Map<number, string>();
  for (const { version, sql } of all.flatMap((part) => part.migrations)) {
    const former = steps.get(version);
    steps.set(version, former === undefined ? sql : `${former}\n${sql}`);
  }
  const migrations = [...steps]
    .map(([version, sql]) => ({ version, sql }))
    .toSorted((left, right) => left.version - right.version);
  return {
    tables: all.flatMap((part) => part.tables),
    former: all.flatMap((part) => part.former ?? []),
    migrations,
    version: Math.max(...migrations.map(({ version }) => version)),
  };
}
