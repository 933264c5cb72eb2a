// The table of jobs: model calls of ours.
import { anyJson } from "./codec.ts";
import { branded, integer, knownValue, orNull, text } from "./column.ts";
import type { ProjectId, SessionId } from "./records.ts";
import { ofSessionHere, table } from "./table.ts";

export const jobTable = table(
  "job",
  {
    id: integer,
    kind: text,
    /** Of the host that can run it, in one folder: what a runner takes stands on its own board. */
    board: text,
    /** Null: nobody has found out yet whose the board is. */
    project: orNull(branded<ProjectId>()),
    sessionId: orNull(branded<SessionId>()),
    /** The same work is one row. */
    key: text,
    /** `command`: the user asked for it, so it comes first. */
    urgency: knownValue(["command", "waits"]),
    /**
     * `due`: waits for its turn. `running`: under a lease. `settled`: what came of it is kept. `failed`: it
     * will be tried again. `given_up`: it won't.
     */
    state: knownValue(["due", "running", "settled", "failed", "given_up"]),
    attempts: integer,
    owner: orNull(text),
    expiresAtMs: orNull(integer),
    dueAtMs: integer,
    input: anyJson,
    /** What its feature finds it by, in words of its kind; null: nobody looks for it. */
    subject: orNull(text),
    /** `provider/model` */
    model: orNull(text),
    inputTokens: integer,
    outputTokens: integer,
    /** The host's session that the call is made in, as long as it may be there. */
    childSessionId: orNull(branded<SessionId>()),
    /** Why attempts failed: a code each, oldest first, with commas between; never a text of others. */
    error: orNull(text),
    createdAtMs: integer,
    startedAtMs: orNull(integer),
    settledAtMs: orNull(integer),
  },
  // Work of this machine, by its paths.
  {
    ...{ key: ["id"], ...ofSessionHere },
    sql: {
      columns: {
        attempts: "DEFAULT 0 CHECK (attempts >= 0)",
        inputTokens: "DEFAULT 0",
        outputTokens: "DEFAULT 0",
      },
      constraints: ["UNIQUE (kind, key)"],
      extras: `
CREATE INDEX job_by_state ON job (board, state, due_at_ms);
CREATE INDEX job_by_project ON job (project, state, due_at_ms);
CREATE INDEX job_by_session ON job (session_id, state);
CREATE TRIGGER job_settles_once BEFORE UPDATE OF state ON job WHEN OLD.state = 'settled' BEGIN
  SELECT RAISE(ABORT, 'a job settles at most once');
END;`,
    },
  },
);
