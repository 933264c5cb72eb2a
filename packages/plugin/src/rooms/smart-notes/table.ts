// The table of smart notes, and their store.
import { randomUUID } from "node:crypto";
import { type Ref, refOf } from "../../projection/ref.ts";
import { json } from "../../storage/codec.ts";
import { branded, integer, oneOf, orNull, text } from "../../storage/column.ts";
import type { Driver } from "../../storage/driver.ts";
import type { SessionId } from "../../storage/records.ts";
import type { SchemaPart } from "../../storage/schema-part.ts";
import { ensureSession } from "../../storage/session-store.ts";
import { table } from "../../storage/table.ts";
import type { ProjectId } from "../memory/record.ts";
import { type Condition, conditionSchema } from "./condition.ts";

export interface SmartNote {
  readonly id: string;
  readonly ref: Ref;
  readonly project: ProjectId;
  /** The session that it is for; null: every session of the project. */
  readonly sessionId: SessionId | null;
  readonly text: string;
  readonly condition: Condition;
  readonly by: "model" | "user";
  /** `due`: its condition has held once; it is shown until it is done. */
  readonly state: "waiting" | "due" | "done";
  readonly writtenAtMs: number;
  /** When a command or a model was last asked; 0: never. */
  readonly checkedAtMs: number;
}

const smartNoteTable = table<SmartNote>(
  "smart_note",
  {
    id: text,
    ref: branded<Ref>(),
    project: branded<ProjectId>(),
    sessionId: orNull(branded<SessionId>()),
    text,
    condition: json(conditionSchema),
    by: oneOf(["model", "user"]),
    state: oneOf(["waiting", "due", "done"]),
    writtenAtMs: integer,
    checkedAtMs: integer,
  },
  {
    key: ["id"],
    sessionColumn: "session_id",
    // What a condition names may be missing elsewhere: then it waits. Commands run where the user allows them.
    exported: { kind: "in order", by: "written_at_ms, id" },
    activityColumn: null,
  },
);

export const smartNoteTables: SchemaPart = {
  tables: [smartNoteTable],
  migrations: [
    {
      version: 22,
      // By memory's project; those that go by the host's are taken over when the project is at work again.
      sql: `
DROP TRIGGER smart_note_goes_with_project;
CREATE TRIGGER smart_note_goes_with_project AFTER DELETE ON memory_project
WHEN OLD.id NOT LIKE 'moved:%' BEGIN
  DELETE FROM smart_note WHERE project = OLD.id;
END;
CREATE TRIGGER smart_note_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE smart_note SET project = substr(NEW.id, length('moved:') + 1) WHERE project = OLD.id;
END;
`,
    },
    {
      version: 17,
      // The host names a project by its first commit, or by its folder.
      sql: `
CREATE TRIGGER smart_note_goes_with_project AFTER DELETE ON memory_project
WHEN OLD.id NOT LIKE 'moved:%' BEGIN
  DELETE FROM smart_note
  WHERE project IN (substr(OLD.id, instr(OLD.id, ':') + 1), OLD.worktree);
END;
`,
    },
    {
      version: 11,
      sql: `
CREATE TABLE smart_note (
  id TEXT PRIMARY KEY,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL,
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  condition TEXT NOT NULL CHECK (json_type(condition) = 'object'),
  by TEXT NOT NULL CHECK (by IN ('model', 'user')),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'due', 'done')),
  written_at_ms INTEGER NOT NULL,
  checked_at_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX smart_note_by_project ON smart_note (project, state);
CREATE INDEX smart_note_by_session ON smart_note (session_id);
`,
    },
  ],
};

/** Each write is one short transaction. */
export function smartNoteStore(driver: Driver) {
  const all = (sql: string, ...values: readonly (string | null)[]) =>
    driver.all(sql, ...values).map(smartNoteTable.read);
  const changed = (sql: string, ...values: readonly (string | number | null)[]) =>
    driver.transaction(() => driver.get(sql, ...values));
  return {
    /** Waiting and due ones that a session sees, oldest first. */
    open: (project: ProjectId, sessionId: SessionId | null): readonly SmartNote[] =>
      all(SELECT_OPEN, project, sessionId),
    /** All that wait in a project, whichever session they are for. */
    waiting: (project: ProjectId): readonly SmartNote[] => all(SELECT_WAITING, project),
    /** Those that were stored under the host's name of it. */
    takeOver: (hostKey: string, project: ProjectId): void =>
      void changed(TAKE_OVER, project, hostKey),
    add(
      note: Pick<SmartNote, "project" | "sessionId" | "text" | "condition" | "by" | "writtenAtMs">,
    ): SmartNote {
      const id = randomUUID();
      const row = { ...note, id, ref: refOf("n", id), state: "waiting", checkedAtMs: 0 } as const;
      driver.transaction(() => {
        if (note.sessionId !== null) ensureSession(driver, note.sessionId, note.writtenAtMs);
        smartNoteTable.insert(driver, row);
      });
      return row;
    },
    /** Its condition holds. */
    hold: (id: string): void => void changed(HOLD, id),
    /** Of processes that would check it now, one does. */
    claim: ({ id, checkedAtMs }: SmartNote, nowMs: number): boolean =>
      changed(CLAIM, nowMs, id, checkedAtMs) !== null,
    /** Null: there is no such open one that this session may see. */
    finish: (project: ProjectId, sessionId: SessionId | null, ref: Ref): Ref | null =>
      changed(FINISH, project, sessionId, ref) === null ? null : ref,
  };
}

export type SmartNoteStore = ReturnType<typeof smartNoteStore>;

const SEEN = "project = ? AND (session_id IS NULL OR session_id = ?) AND state <> 'done'";
const ORDER = "ORDER BY written_at_ms, rowid";
const SELECT = `SELECT ${smartNoteTable.columns} FROM smart_note`;
const SELECT_OPEN = `${SELECT} WHERE ${SEEN} ${ORDER}`;
const SELECT_WAITING = `${SELECT} WHERE project = ? AND state = 'waiting' ${ORDER}`;
const TAKE_OVER = "UPDATE smart_note SET project = ? WHERE project = ? RETURNING id";
const HOLD = "UPDATE smart_note SET state = 'due' WHERE id = ? AND state = 'waiting' RETURNING id";
const CLAIM = `UPDATE smart_note SET checked_at_ms = ?
  WHERE id = ? AND checked_at_ms = ? AND state = 'waiting' RETURNING id`;
const FINISH = `UPDATE smart_note SET state = 'done' WHERE ${SEEN} AND ref = ? RETURNING id`;
