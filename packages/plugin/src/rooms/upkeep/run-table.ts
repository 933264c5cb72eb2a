// Runs of upkeep, what each proposed and did, and which memories it looked at, as they are stored.
import * as z from "zod";
import type { ProjectId } from "../../project/project.ts";
import type { Ref } from "../../projection/ref.ts";
import { json } from "../../storage/codec.ts";
import { branded, integer, oneOf, orNull, text } from "../../storage/column.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { ofNoSession, type RowOf, table } from "../../storage/table.ts";
import { AUTHORS, CATEGORIES, type MemoryId } from "../memory/record.ts";
import { type Proposal, proposalSchema } from "./proposal.ts";
import { TASKS, type TaskName } from "./task.ts";

const orNone = <Branded extends string>() =>
  z
    .string()
    .transform((value) => value as Branded)
    .nullable();

/** A memory as it was before a change: what undo brings back. */
const beforeSchema = z.object({
  id: z.string().transform((value) => value as MemoryId),
  ref: z.string().transform((value) => value as Ref),
  category: z.enum(CATEGORIES),
  text: z.string(),
  importance: z.number(),
  permanence: z.enum(["ordinary", "permanent"]),
  by: z.enum(AUTHORS),
  sessionId: orNone<SessionId>(),
  segment: orNone<Ref>(),
  changedAtMs: z.number(),
});

export type Before = Readonly<z.infer<typeof beforeSchema>>;

const storedTasks: z.ZodType<readonly TaskName[]> = z.array(z.enum(TASKS));

export const runTable = table(
  "upkeep_run",
  {
    id: integer,
    project: branded<ProjectId>(),
    /** Its jobs are this folder's. */
    directory: text,
    task: oneOf(TASKS),
    /** Tasks that are run after it. */
    rest: json(storedTasks),
    askedBy: oneOf(["schedule", "command", "shell"]),
    /** The name under which it holds the project among a team's machines. */
    holder: text,
    /** Its newest job. */
    jobId: orNull(integer),
    /** Of the project, as it began; null: it has not begun. */
    activeMemories: orNull(integer),
    model: orNull(text),
    /** The file that the documents' patch is in. */
    patch: orNull(text),
    begunAtMs: integer,
    endedAtMs: orNull(integer),
    /** Why it ended before everything was looked at; null: it did not. */
    code: orNull(text),
    undoneAtMs: orNull(integer),
  },
  { key: ["id"], ...ofNoSession },
);

export type RunRecord = RowOf<typeof runTable>;

export const changeTable = table(
  "upkeep_change",
  {
    id: integer,
    runId: integer,
    /** `proposed`: waits for the next step. `left`: not undone, as somebody has changed it since. */
    state: oneOf(["proposed", "done", "refused", "undone", "left"]),
    /** Null: the answer could not be read as one. */
    proposal: orNull(json<Proposal>(proposalSchema)),
    before: json<readonly Before[]>(z.array(beforeSchema)),
    /** Why it was refused or left. */
    code: orNull(text),
    /** The first memory that it is about; empty: none of ours. */
    ref: text,
    /** What stands for several now. */
    resultId: orNull(branded<MemoryId>()),
    /** The time that the memories it has changed bear. */
    stampMs: orNull(integer),
    /** And those that undo has changed back. */
    undoStampMs: orNull(integer),
  },
  { key: ["id"], ...ofNoSession },
);

export type ChangeRecord = RowOf<typeof changeTable>;

/** When a task last looked at a memory. */
export const lookTable = table(
  "upkeep_look",
  { runId: integer, memoryId: branded<MemoryId>(), lookedAtMs: integer },
  { key: ["runId", "memoryId"], ...ofNoSession },
);

const schema = `
CREATE TABLE upkeep_run (
  id INTEGER PRIMARY KEY,
  project TEXT NOT NULL,
  directory TEXT NOT NULL,
  task TEXT NOT NULL,
  rest TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(rest)),
  asked_by TEXT NOT NULL,
  job_id INTEGER,
  active_memories INTEGER,
  model TEXT,
  patch TEXT,
  begun_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  code TEXT,
  undone_at_ms INTEGER
) STRICT;
-- One task at a time per project, over all processes and folders.
CREATE UNIQUE INDEX upkeep_one_at_a_time ON upkeep_run (project) WHERE ended_at_ms IS NULL;
CREATE INDEX upkeep_run_by_task ON upkeep_run (project, task, begun_at_ms);

CREATE TABLE upkeep_change (
  id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES upkeep_run (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  proposal TEXT CHECK (proposal IS NULL OR json_valid(proposal)),
  before TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(before)),
  code TEXT,
  ref TEXT NOT NULL DEFAULT '',
  result_id TEXT,
  stamp_ms INTEGER,
  undo_stamp_ms INTEGER
) STRICT;
CREATE INDEX upkeep_change_by_run ON upkeep_change (run_id, state);

CREATE TABLE upkeep_look (
  run_id INTEGER NOT NULL REFERENCES upkeep_run (id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  looked_at_ms INTEGER NOT NULL,
  PRIMARY KEY (run_id, memory_id)
) STRICT, WITHOUT ROWID;

-- What is forgotten for good is forgotten here, too.
CREATE TRIGGER upkeep_forgets_memory AFTER DELETE ON memory BEGIN
  DELETE FROM upkeep_change WHERE instr(before, OLD.id) > 0 OR result_id = OLD.id;
END;
`;

export const upkeepTables: SchemaPart = {
  tables: [runTable, changeTable, lookTable],
  migrations: [
    { version: 13, sql: schema },
    { version: 15, sql: "ALTER TABLE upkeep_run ADD COLUMN holder TEXT NOT NULL DEFAULT ''" },
    {
      version: 21,
      sql: "UPDATE job SET subject = json_extract(input, '$.runId') WHERE kind = 'upkeep'",
    },
  ],
};
