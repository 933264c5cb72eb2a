// The next step of the schema, as an example: a table as it was released, and as the next version has it.
import { integer, nullable, text } from "../../src/storage/column.ts";
import { composeSchema, FIRST_SCHEMA_VERSION } from "../../src/storage/schema.ts";
import { noSessionRules, table } from "../../src/storage/table.ts";

const birdTable = table(
  "bird",
  { id: integer, name: text },
  { key: ["id"], ...noSessionRules, sql: { extras: "CREATE INDEX bird_by_name ON bird (name);" } },
);

export const nextBirdTable = table(
  "bird",
  { id: integer, name: text, seenAtMs: nullable(integer), colour: text },
  {
    ...{ key: ["id"], ...noSessionRules },
    sql: {
      columns: { colour: "DEFAULT 'grey'" },
      extras: "CREATE INDEX bird_by_colour ON bird (colour, name);",
    },
  },
);

export const releasedSchema = composeSchema([{ tables: [birdTable] }]);

/** A new database is made from the table as it is declared now; one that is there takes the step. */
export const nextSchema = composeSchema([
  {
    tables: [nextBirdTable],
    migrations: [
      {
        version: FIRST_SCHEMA_VERSION + 1,
        sql: `
DROP INDEX bird_by_name;
ALTER TABLE bird ADD COLUMN seen_at_ms INTEGER;
ALTER TABLE bird ADD COLUMN colour TEXT NOT NULL DEFAULT 'grey';
CREATE INDEX bird_by_colour ON bird (colour, name);`,
      },
    ],
  },
]);
