// Migration 5: entries name their policy, folds have two ends, prepared edits, jobs.
/**
 * Entries say which policy drafted them, and a fold has a second end. SQLite can't change a CHECK, so
 * the tables are built again: children are copied and dropped before what they refer to, as dropping a
 * table deletes its rows, and that cascades. Causes of epochs are checked by the codec alone from here on.
 */
export const originSchema = `
CREATE TABLE epoch_5 (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  cause TEXT NOT NULL,
  directory TEXT NOT NULL,
  worktree TEXT NOT NULL,
  start_message_id TEXT,
  -- A JSON string, not the bare text: drivers mangle what is not well-formed Unicode, JSON escapes it.
  baseline TEXT NOT NULL CHECK (json_type(baseline) = 'text'),
  parts TEXT NOT NULL CHECK (json_type(parts) = 'array'),
  snapshot TEXT NOT NULL CHECK (json_type(snapshot) = 'object'),
  started_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT;

CREATE TABLE entry_5 (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  epoch_seq INTEGER NOT NULL CHECK (epoch_seq < seq),
  -- The policy that drafted it.
  origin TEXT NOT NULL,
  message_id TEXT NOT NULL,
  part_id TEXT,
  -- The last message of a fold; message_id is its first.
  end_message_id TEXT,
  edit TEXT CHECK (json_type(edit) = 'object'),
  told TEXT NOT NULL CHECK (json_type(told) = 'array'),
  delta TEXT NOT NULL CHECK (json_type(delta) = 'object'),
  decided_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch_5 (session_id, seq) ON DELETE CASCADE
) STRICT;

CREATE TABLE turn_5 (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  epoch_seq INTEGER NOT NULL,
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  sent_at_ms INTEGER NOT NULL,
  new_message_ids TEXT NOT NULL CHECK (json_type(new_message_ids) = 'array'),
  digests TEXT NOT NULL CHECK (json_type(digests) = 'object'),
  bust TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  PRIMARY KEY (session_id, seq),
  UNIQUE (session_id, sent_at_ms),
  FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch_5 (session_id, seq) ON DELETE CASCADE,
  CHECK (
    (input_tokens IS NULL) + (output_tokens IS NULL)
    + (cache_read_tokens IS NULL) + (cache_write_tokens IS NULL) IN (0, 4)
  )
) STRICT;

CREATE TABLE entry_form_5 (
  session_id TEXT NOT NULL,
  entry_seq INTEGER NOT NULL,
  -- Prefixes are per model, and so is the form.
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('native', 'wrapped')),
  cause TEXT NOT NULL CHECK (cause IN ('first', 'place', 'refused')),
  decided_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, entry_seq, provider_id, model_id),
  FOREIGN KEY (session_id, entry_seq) REFERENCES entry_5 (session_id, seq) ON DELETE CASCADE
) STRICT;

INSERT INTO epoch_5 SELECT * FROM epoch;
INSERT INTO entry_5
  SELECT session_id, seq, epoch_seq,
    CASE
      WHEN edit IS NULL AND part_id IS NULL THEN 'record-undo'
      WHEN edit IS NULL THEN 'record-shown'
      WHEN json_extract(edit, '$.verb') = 'insert' AND json_array_length(told) > 0 THEN 'tell-update'
      WHEN json_extract(edit, '$.verb') = 'insert' THEN 'hold-reminders'
      WHEN json_extract(edit, '$.text') = '[Old tool result content cleared]' THEN 'admit-prune'
      ELSE 'bound-failures'
    END,
    message_id, part_id, NULL, edit, told, delta, decided_at_ms
  FROM entry;
INSERT INTO turn_5 SELECT * FROM turn;
INSERT INTO entry_form_5 SELECT * FROM entry_form;

DROP TABLE entry_form;
DROP TABLE turn;
DROP TABLE entry;
DROP TABLE epoch;
ALTER TABLE epoch_5 RENAME TO epoch;
ALTER TABLE entry_5 RENAME TO entry;
ALTER TABLE turn_5 RENAME TO turn;
ALTER TABLE entry_form_5 RENAME TO entry_form;

-- What the first call of an epoch sends is on disk before the epoch is, whose Baseline the host renders later.
CREATE TABLE prepared_edit (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL CHECK (rank >= 1),
  origin TEXT NOT NULL,
  edit TEXT NOT NULL CHECK (json_type(edit) = 'object'),
  PRIMARY KEY (session_id, rank)
) STRICT;

-- Work beside the turns: model calls of ours and what users ask for. A settled row waits with its proposal
-- until a boundary or a store takes it.
CREATE TABLE job (
  id INTEGER NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The directory of the project; of a job for one session also the session.
  project TEXT NOT NULL,
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  -- The same work is one row.
  key TEXT NOT NULL,
  urgency TEXT NOT NULL CHECK (urgency IN ('command', 'waits')),
  state TEXT NOT NULL CHECK (state IN ('due', 'running', 'settled', 'taken', 'stale', 'failed',
    'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  owner TEXT,
  expires_at_ms INTEGER,
  due_at_ms INTEGER NOT NULL,
  input TEXT NOT NULL CHECK (json_valid(input)),
  input_digest TEXT NOT NULL,
  proposal TEXT CHECK (json_valid(proposal)),
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
CREATE INDEX job_by_state ON job (project, state, due_at_ms);
CREATE INDEX job_by_session ON job (session_id, state);

CREATE TRIGGER job_settles_once BEFORE UPDATE OF proposal ON job
WHEN OLD.state IN ('settled', 'taken', 'stale') BEGIN
  SELECT RAISE(ABORT, 'a job settles at most once');
END;

CREATE INDEX entry_by_epoch ON entry (session_id, epoch_seq);
CREATE INDEX turn_by_epoch ON turn (session_id, epoch_seq);
CREATE INDEX entry_form_refused ON entry_form (provider_id, model_id, decided_at_ms)
  WHERE cause = 'refused';

CREATE TRIGGER epoch_takes_the_next_seq BEFORE INSERT ON epoch BEGIN
  SELECT RAISE(ABORT, 'an epoch takes the next seq of its session')
    WHERE NEW.seq <> (SELECT head_seq + 1 FROM session WHERE id = NEW.session_id);
  UPDATE session SET head_seq = NEW.seq WHERE id = NEW.session_id;
END;

CREATE TRIGGER entry_takes_the_next_seq BEFORE INSERT ON entry BEGIN
  SELECT RAISE(ABORT, 'an entry takes the next seq of its session')
    WHERE NEW.seq <> (SELECT head_seq + 1 FROM session WHERE id = NEW.session_id);
  UPDATE session SET head_seq = NEW.seq WHERE id = NEW.session_id;
END;

CREATE TRIGGER epoch_is_never_updated BEFORE UPDATE ON epoch BEGIN
  SELECT RAISE(ABORT, 'epochs are never updated');
END;

CREATE TRIGGER entry_is_never_updated BEFORE UPDATE ON entry BEGIN
  SELECT RAISE(ABORT, 'ledger entries are never updated');
END;

CREATE TRIGGER entry_form_once_wrapped_stays BEFORE UPDATE ON entry_form
WHEN OLD.form = 'wrapped' BEGIN
  SELECT RAISE(ABORT, 'what was sent wrapped stays wrapped');
END;
`;
