// The tables of maintenance runs: what each proposed and did, and which memories it checked.
import * as z from "zod";
import type { Ref } from "../../ledger/ref.ts";
import type { ProjectId } from "../../project/project.ts";
import { brandedText, integer, json, nullable, openChoice, text } from "../../storage/column.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaModule } from "../../storage/schema-module.ts";
import { noSessionRules, type RowOf, table } from "../../storage/table.ts";
import { AUTHORS, CATEGORIES, type MemoryId } from "../memory/record.ts";
import { type Proposal, proposalSchema, TASKS, type TaskName } from "./task.ts";

const nullableString = <Branded extends string>() =>
  z
    .string()
    .transform((value) => value as Branded)
    .nullable();

/** A memory as it was before a change, which is what undo restores. */
const snapshotSchema = z.object({
  id: z.string().transform((value) => value as MemoryId),
  ref: z.string().transform((value) => value as Ref),
  category: z.enum(CATEGORIES),
  text: z.string(),
  importance: z.number(),
  permanence: z.enum(["ordinary", "permanent"]),
  by: z.enum(AUTHORS),
  sessionId: nullableString<SessionId>(),
  segment: nullableString<Ref>(),
  changedAtMs: z.number(),
});

export type MemorySnapshot = Readonly<z.infer<typeof snapshotSchema>>;

const taskListSchema: z.ZodType<readonly TaskName[]> = z.array(z.enum(TASKS));

export const runTable = table(
  "upkeep_run",
  {
    id: integer,
    project: brandedText<ProjectId>(),
    /** The folder to which the run's jobs belong. */
    directory: text,
    task: openChoice(TASKS),
    /** The tasks that are run after this one. */
    rest: json(taskListSchema),
    askedBy: openChoice(["schedule", "command", "shell"]),
    /** The name under which the run holds the project among a team's machines. */
    holder: text,
    /** The run's newest job. */
    jobId: nullable(integer),
    /** The number of the project's active memories at the run's start; null if the run has not started. */
    activeMemories: nullable(integer),
    model: nullable(text),
    /** The path of the patch for documents; null if there is none. */
    patch: nullable(text),
    begunAtMs: integer,
    endedAtMs: nullable(integer),
    /** The reason why the run ended before everything was checked; null if there was none. */
    code: nullable(text),
    undoneAtMs: nullable(integer),
  },
  {
    ...{ key: ["id"], ...noSessionRules },
    sql: {
      columns: { rest: "DEFAULT '[]'", holder: "DEFAULT ''" },
      extras: `
-- One task at a time per project, over all processes and folders.
CREATE UNIQUE INDEX upkeep_one_at_a_time ON upkeep_run (project) WHERE ended_at_ms IS NULL;
CREATE INDEX upkeep_run_by_task ON upkeep_run (project, task, begun_at_ms);`,
    },
  },
);

export type RunRecord = RowOf<typeof runTable>;

const RUN_REFERENCE = "REFERENCES upkeep_run (id) ON DELETE CASCADE";

export const changeTable = table(
  "upkeep_change",
  {
    id: integer,
    runId: integer,
    /**
     * `proposed`: waiting for the next step. `left`: not undone, because somebody has changed the memory
     * since.
     */
    state: openChoice(["proposed", "done", "refused", "undone", "left"]),
    /** The parsed proposal; null if the model's answer held none that passed its checks. */
    proposal: nullable(json<Proposal>(proposalSchema)),
    before: json<readonly MemorySnapshot[]>(z.array(snapshotSchema)),
    /** The reason why the change was refused or was not undone; null otherwise. */
    code: nullable(text),
    /** The ref of the first memory that the change is about; empty if we have no such memory. */
    ref: text,
    /** The memory that the change resulted in; null if the change was not made. */
    resultId: nullable(brandedText<MemoryId>()),
    /** The change time that this change gave to its memories; null if it was not made. */
    stampMs: nullable(integer),
    /** The change time that undoing this change gave to its memories; null if it was not undone. */
    undoStampMs: nullable(integer),
  },
  {
    ...{ key: ["id"], ...noSessionRules },
    sql: {
      columns: { runId: RUN_REFERENCE, before: "DEFAULT '[]'", ref: "DEFAULT ''" },
      extras: "CREATE INDEX upkeep_change_by_run ON upkeep_change (run_id, state);",
    },
  },
);

export type ChangeRecord = RowOf<typeof changeTable>;

/** Records when each run checked which memory. */
export const checkTable = table(
  "upkeep_look",
  { runId: integer, memoryId: brandedText<MemoryId>(), lookedAtMs: integer },
  {
    ...{ key: ["runId", "memoryId"], ...noSessionRules },
    sql: { columns: { runId: RUN_REFERENCE }, layout: "by key" },
  },
);

export const maintenanceTables: SchemaModule = {
  tables: [runTable, changeTable, checkTable],
  setUp: `
-- What is forgotten for good is forgotten here, too.
CREATE TRIGGER upkeep_forgets_memory AFTER DELETE ON memory BEGIN
  DELETE FROM upkeep_change WHERE instr(before, OLD.id) > 0 OR result_id = OLD.id;
END;`,
};
