// Schema: sessions, epochs and entries under one sequence, provider turns.
// Folder: The schema, one migration per file.

/** Sessions, their epochs and ledger entries under one sequence, and their provider turns. */
export const ledgerSchema = `
CREATE TABLE session (
  id TEXT NOT NULL PRIMARY KEY,
  created_at_ms INTEGER NOT NULL,
  -- The highest seq of the session's epochs and entries; kept by the triggers below.
  head_seq INTEGER NOT NULL DEFAULT 0 CHECK (head_seq >= 0)
) STRICT;

CREATE TABLE epoch (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  cause TEXT NOT NULL CHECK (cause IN ('first', 'compacted', 'moved', 'replaced', 'model')),
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

CREATE TABLE entry (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  epoch_seq INTEGER NOT NULL CHECK (epoch_seq < seq),
  message_id TEXT NOT NULL,
  part_id TEXT,
  edit TEXT CHECK (json_type(edit) = 'object'),
  told TEXT NOT NULL CHECK (json_type(told) = 'array'),
  delta TEXT NOT NULL CHECK (json_type(delta) = 'object'),
  decided_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch (session_id, seq) ON DELETE CASCADE
) STRICT;
CREATE INDEX entry_by_epoch ON entry (session_id, epoch_seq);

CREATE TABLE turn (
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
  FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch (session_id, seq) ON DELETE CASCADE,
  CHECK (
    (input_tokens IS NULL) + (output_tokens IS NULL)
    + (cache_read_tokens IS NULL) + (cache_write_tokens IS NULL) IN (0, 4)
  )
) STRICT;
CREATE INDEX turn_by_epoch ON turn (session_id, epoch_seq);

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
`;
