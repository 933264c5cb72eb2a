// The table of jobs, which are the plugin's own model calls.
import { anyJson } from "./codec.ts";
import { branded, integer, knownValue, orNull, text } from "./column.ts";
import type { ProjectId, SessionId } from "./records.ts";
import { ofSessionHere, table } from "./table.ts";

export const jobTable = table(
  "job",
  {
    id: integer,
    kind: text,
    /** The worker (host and folder) that can run the job; a runner takes only its own worker's jobs. */
    board: text,
    /** The job's project; null until the worker's project is known. */
    project: orNull(branded<ProjectId>()),
    sessionId: orNull(branded<SessionId>()),
    /** Jobs for the same work share a key, and so one row. */
    key: text,
    /** `command` means that the user asked for the job, so it comes first. */
    urgency: knownValue(["command", "waits"]),
    /**
     * `due` jobs wait for their turn and `running` ones have a lease. `settled` ones have kept their result,
     * `failed` ones will be tried again, and `given_up` ones won't.
     */
    state: knownValue(["due", "running", "settled", "failed", "given_up"]),
    attempts: integer,
    owner: orNull(text),
    expiresAtMs: orNull(integer),
    dueAtMs: integer,
    input: anyJson,
    /**
     * Names what the job is about, in the kind's own terms, so that its feature can find it; null if nobody
     * needs to.
     */
    subject: orNull(text),
    /** The model as `provider/model`. */
    model: orNull(text),
    inputTokens: integer,
    outputTokens: integer,
    /** The host's session that the call is made in, as long as it may exist. */
    childSessionId: orNull(branded<SessionId>()),
    /** Holds one code per failed attempt, oldest first, separated by commas; never text from elsewhere. */
    error: orNull(text),
    createdAtMs: integer,
    startedAtMs: orNull(integer),
    settledAtMs: orNull(integer),
  },
  // Jobs depend on this machine's paths, so an export leaves them out.
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
