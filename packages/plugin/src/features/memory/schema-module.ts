// Adds memory's tables to the schema, and takes over the data of a development version.
import { projectTable } from "../../project/tables.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SalvagedTable, SchemaModule } from "../../storage/schema-module.ts";
import { toMarkdown } from "./markdown.ts";
import { memoryTable, memoryTables, memoryTriggers, noteTable } from "./schema.ts";
import { listOwnMemories, toNote } from "./sqlite-rows.ts";

const salvageDefaults = { where: "true", noun: null, isSetUp: false } as const;

const salvagedTables: readonly SalvagedTable[] = [
  ...memoryTables
    .filter((table) => table.name !== memoryTable.name && table.name !== noteTable.name)
    .map((table) => ({ table, ...salvageDefaults })),
  {
    ...salvageDefaults,
    table: memoryTable,
    where: "state <> 'superseded'",
    noun: ["memory", "memories"],
  },
  { ...salvageDefaults, table: memoryTable, where: "state = 'superseded'" },
  { ...salvageDefaults, table: noteTable, noun: ["note", "notes"] },
];

export const memorySchemaModule: SchemaModule = {
  tables: memoryTables,
  setUp: memoryTriggers,
  salvage: { tables: salvagedTables, toMarkdown: renderAllMarkdown },
};

/** Renders each project as `memory export` does, with its sessions' notes and its reminders. */
function renderAllMarkdown(driver: Driver): string {
  const projects = projectTable.in(driver).list({}, "id");
  return projects
    .flatMap(({ id, name }) => {
      const memories = listOwnMemories(driver, id);
      const notes = noteTable
        .in(driver)
        .list({ project: id, state: ["waiting", "open"] }, "writtenAtMs");
      if (memories.length === 0 && notes.length === 0) return [];
      return [toMarkdown(name === "" ? id : name, memories, notes.map(toNote))];
    })
    .join("\n");
}
