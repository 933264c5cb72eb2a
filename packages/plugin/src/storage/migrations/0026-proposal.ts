// Schema 26: proposals in a table of their own, and jobs without them.

/**
 * What waits moves; what was taken, or found stale, is done with. A row that no call was begun for was a
 * proposal alone. Of a kind that has its proposal and its job, the job stays.
 */
export const proposalSchema = `
CREATE TABLE proposal (
  -- Never used twice: a process may still hold one that another has taken.
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  urgency TEXT NOT NULL CHECK (urgency IN ('command', 'waits')),
  output TEXT NOT NULL CHECK (json_valid(output)),
  -- The same proposal waits once.
  UNIQUE (session_id, kind, urgency, output)
) STRICT;

INSERT OR IGNORE INTO proposal (id, session_id, kind, urgency, output)
  SELECT id, session_id, kind, urgency, ifnull(proposal, 'null') FROM job
  WHERE state = 'settled' AND session_id IS NOT NULL ORDER BY id;

CREATE TABLE job_26 (
  id INTEGER NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The directory of the project; of a job for one session also the session.
  project TEXT NOT NULL,
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  -- The same work is one row.
  key TEXT NOT NULL,
  urgency TEXT NOT NULL CHECK (urgency IN ('command', 'waits')),
  state TEXT NOT NULL CHECK (state IN ('due', 'running', 'settled', 'failed', 'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  owner TEXT,
  expires_at_ms INTEGER,
  due_at_ms INTEGER NOT NULL,
  input TEXT NOT NULL CHECK (json_valid(input)),
  subject TEXT,
  -- 'provider/model'
  model TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  -- The host's session that the call is made in, as long as it may be there.
  child_session_id TEXT,
  error TEXT,
  created_at_ms INTEGER NOT NULL,
  started_at_ms INTEGER,
  settled_at_ms INTEGER,
  UNIQUE (kind, key)
) STRICT;

INSERT INTO job_26
  SELECT id, kind, project, session_id, key, urgency,
    CASE WHEN state IN ('taken', 'stale') THEN 'settled' ELSE state END,
    attempts, owner, expires_at_ms, due_at_ms, input, subject, model, input_tokens, output_tokens,
    child_session_id, error, created_at_ms, started_at_ms, settled_at_ms
  FROM job WHERE started_at_ms IS NOT NULL OR state NOT IN ('settled', 'taken', 'stale');

DROP TABLE job;
ALTER TABLE job_26 RENAME TO job;
CREATE INDEX job_by_state ON job (project, state, due_at_ms);
CREATE INDEX job_by_session ON job (session_id, state);

CREATE TRIGGER job_settles_once BEFORE UPDATE OF state ON job WHEN OLD.state = 'settled' BEGIN
  SELECT RAISE(ABORT, 'a job settles at most once');
END;
`;
