CREATE TABLE session (
  id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  head_seq INTEGER NOT NULL DEFAULT 0 CHECK (head_seq >= 0),
  harness TEXT,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE epoch (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  cause TEXT NOT NULL,
  directory TEXT NOT NULL,
  worktree TEXT NOT NULL,
  start_message_id TEXT,
  baseline TEXT NOT NULL CHECK (json_type(baseline) = 'text'),
  parts TEXT NOT NULL CHECK (json_type(parts) = 'array'),
  snapshot TEXT NOT NULL CHECK (json_type(snapshot) = 'object'),
  started_at_ms INTEGER NOT NULL,
  checksum TEXT,
  PRIMARY KEY (session_id, seq)
) STRICT;

CREATE TABLE entry (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  epoch_seq INTEGER NOT NULL CHECK (epoch_seq < seq),
  origin TEXT NOT NULL,
  message_id TEXT NOT NULL,
  part_id TEXT,
  end_message_id TEXT,
  edit TEXT CHECK (json_type(edit) = 'object'),
  announced TEXT NOT NULL CHECK (json_type(announced) = 'array'),
  delta TEXT NOT NULL CHECK (json_type(delta) = 'object'),
  decided_at_ms INTEGER NOT NULL,
  checksum TEXT,
  PRIMARY KEY (session_id, seq),
  FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch (session_id, seq) ON DELETE CASCADE
) STRICT;

CREATE TABLE turn (
  session_id TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  epoch_seq INTEGER NOT NULL,
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  agent TEXT NOT NULL,
  sent_at_ms INTEGER NOT NULL,
  bust TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cache_read_tokens INTEGER,
  cache_write_tokens INTEGER,
  paid_nanos INTEGER,
  saved_nanos INTEGER,
  new_message_ids TEXT NOT NULL CHECK (json_type(new_message_ids) = 'array'),
  digests TEXT NOT NULL CHECK (json_type(digests) = 'object'),
  PRIMARY KEY (session_id, seq),
  UNIQUE (session_id, sent_at_ms),
  FOREIGN KEY (session_id, epoch_seq) REFERENCES epoch (session_id, seq) ON DELETE CASCADE,
  CHECK ((input_tokens IS NULL) + (output_tokens IS NULL)
    + (cache_read_tokens IS NULL) + (cache_write_tokens IS NULL) IN (0, 4)),
  CHECK ((paid_nanos IS NULL) = (saved_nanos IS NULL))
) STRICT;

CREATE TABLE brief (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 1),
  compaction_id TEXT,
  text TEXT NOT NULL CHECK (json_type(text) = 'text'),
  essentials TEXT NOT NULL CHECK (json_type(essentials) = 'object'),
  carried TEXT NOT NULL CHECK (json_type(carried) = 'object'),
  made_at_ms INTEGER NOT NULL,
  checksum TEXT,
  PRIMARY KEY (session_id, seq)
) STRICT;

CREATE TABLE entry_form (
  session_id TEXT NOT NULL,
  entry_seq INTEGER NOT NULL,
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('native', 'wrapped')),
  cause TEXT NOT NULL CHECK (cause IN ('first', 'place', 'refused')),
  decided_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, entry_seq, provider_id, model_id),
  FOREIGN KEY (session_id, entry_seq) REFERENCES entry (session_id, seq) ON DELETE CASCADE
) STRICT;

CREATE TABLE prepared_edit (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL CHECK (rank >= 1),
  origin TEXT NOT NULL,
  edit TEXT NOT NULL CHECK (json_type(edit) = 'object'),
  checksum TEXT,
  PRIMARY KEY (session_id, rank)
) STRICT;

CREATE TABLE proposal (
  id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  urgency TEXT NOT NULL CHECK (urgency IN ('command', 'waits')),
  output TEXT NOT NULL CHECK (json_valid(output)),
  UNIQUE (session_id, kind, urgency, output)
) STRICT;

CREATE TABLE job (
  id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  board TEXT NOT NULL,
  project TEXT,
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  urgency TEXT NOT NULL CHECK (urgency IN ('command', 'waits')),
  state TEXT NOT NULL CHECK (state IN ('due', 'running', 'settled', 'failed', 'given_up')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  owner TEXT,
  expires_at_ms INTEGER,
  due_at_ms INTEGER NOT NULL,
  input TEXT NOT NULL CHECK (json_valid(input)),
  subject TEXT,
  model TEXT,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  child_session_id TEXT,
  error TEXT,
  created_at_ms INTEGER NOT NULL,
  started_at_ms INTEGER,
  settled_at_ms INTEGER,
  PRIMARY KEY (id),
  UNIQUE (kind, key)
) STRICT;

CREATE TABLE session_input (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  id TEXT NOT NULL PRIMARY KEY,
  rank INTEGER NOT NULL CHECK (rank >= 1),
  directory TEXT NOT NULL,
  delivery TEXT NOT NULL CHECK (delivery IN ('steer', 'queue')),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'handed', 'refused', 'saved', 'promoted', 'recorded', 'answered', 'dropped', 'undone', 'swallowed')),
  message_id TEXT UNIQUE CHECK ((message_id IS NULL) <= (state IN ('waiting', 'dropped'))),
  digest TEXT NOT NULL,
  preview TEXT NOT NULL CHECK (json_type(preview) = 'text'),
  part_count INTEGER NOT NULL CHECK (part_count >= 0),
  prompt TEXT CHECK (json_type(prompt) = 'object'),
  admitted_at_ms INTEGER NOT NULL,
  promoted_at_ms INTEGER,
  settled_at_ms INTEGER
) STRICT;

CREATE TABLE session_lease (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  owner TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id)
) STRICT;

CREATE TABLE tool_limit (
  directory TEXT NOT NULL,
  agent TEXT NOT NULL,
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  most INTEGER NOT NULL CHECK (most > 0),
  others INTEGER CHECK (others >= 0),
  stated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (directory, agent, provider_id, model_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE rewrite (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  epoch_seq INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('cold', 'worth', 'pressure', 'asked')),
  first_message_id TEXT NOT NULL,
  last_message_id TEXT NOT NULL,
  drops INTEGER NOT NULL,
  folds INTEGER NOT NULL,
  cost_tokens INTEGER NOT NULL,
  saved_tokens INTEGER NOT NULL,
  read_rate REAL NOT NULL,
  write_rate REAL NOT NULL,
  keep_tokens INTEGER NOT NULL,
  regret_tokens INTEGER NOT NULL,
  spared_tokens INTEGER NOT NULL,
  folded_messages INTEGER NOT NULL,
  fold_tokens INTEGER NOT NULL,
  dropped_parts INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE kept_part (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  part_id TEXT NOT NULL,
  root TEXT NOT NULL,
  place INTEGER NOT NULL CHECK (place >= 0),
  part_place INTEGER NOT NULL CHECK (part_place >= 0),
  digest TEXT NOT NULL,
  PRIMARY KEY (session_id, part_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_limit (
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  tokens INTEGER NOT NULL CHECK (tokens > 0),
  stated_at_ms INTEGER NOT NULL,
  PRIMARY KEY (provider_id, model_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE memory_workspace (
  name TEXT NOT NULL CHECK (name <> ''),
  created_at_ms INTEGER NOT NULL,
  PRIMARY KEY (name)
) STRICT;

CREATE TABLE memory_project (
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  worktree TEXT NOT NULL,
  workspace TEXT REFERENCES memory_workspace (name) ON DELETE SET NULL,
  shares TEXT NOT NULL DEFAULT '',
  seen_at_ms INTEGER NOT NULL,
  numbered INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE project_place (
  worktree TEXT NOT NULL,
  project TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL,
  PRIMARY KEY (worktree)
) STRICT;

CREATE TABLE memory (
  id TEXT NOT NULL,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL REFERENCES memory_project (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number INTEGER,
  source TEXT NOT NULL CHECK (source IN ('user', 'prompt', 'session', 'tool')) DEFAULT 'session',
  category TEXT NOT NULL,
  text TEXT NOT NULL,
  digest TEXT NOT NULL,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
  permanence TEXT NOT NULL CHECK (permanence IN ('ordinary', 'permanent')),
  state TEXT NOT NULL CHECK (state IN ('active', 'superseded', 'archived')),
  candidate INTEGER NOT NULL CHECK (candidate IN (0, 1)) DEFAULT 0 CHECK (candidate = 0 OR state = 'archived'),
  superseded_by TEXT REFERENCES memory (id) ON DELETE CASCADE,
  by TEXT NOT NULL,
  session_id TEXT,
  segment TEXT,
  written_at_ms INTEGER NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  checked_at_ms INTEGER NOT NULL,
  used_at_ms INTEGER,
  uses INTEGER NOT NULL DEFAULT 0,
  member TEXT,
  PRIMARY KEY (id),
  CHECK ((state = 'superseded') = (superseded_by IS NOT NULL))
) STRICT;

CREATE TABLE note (
  id TEXT NOT NULL,
  ref TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL REFERENCES memory_project (id) ON DELETE CASCADE ON UPDATE CASCADE,
  session_id TEXT REFERENCES session (id) ON DELETE CASCADE,
  text TEXT NOT NULL,
  by TEXT NOT NULL,
  condition TEXT CHECK (json_type(condition) = 'object'),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'open', 'done')) CHECK (state <> 'waiting' OR condition IS NOT NULL),
  written_at_ms INTEGER NOT NULL,
  checked_at_ms INTEGER NOT NULL DEFAULT 0,
  done_at_ms INTEGER,
  member TEXT,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE memory_remote (
  project TEXT NOT NULL,
  remote TEXT NOT NULL,
  standing TEXT NOT NULL CHECK (standing IN ('own', 'joined', 'apart')),
  asked INTEGER NOT NULL CHECK (asked IN (0, 1)) DEFAULT 0,
  PRIMARY KEY (project, remote)
) STRICT, WITHOUT ROWID;

CREATE TABLE team_link (
  one INTEGER NOT NULL CHECK (one = 1),
  member TEXT,
  server TEXT,
  applying INTEGER NOT NULL DEFAULT 0,
  busy_until_ms INTEGER NOT NULL DEFAULT 0,
  reached_at_ms INTEGER,
  away_since_ms INTEGER,
  problem TEXT,
  PRIMARY KEY (one)
) STRICT;

CREATE TABLE team_project (
  id TEXT NOT NULL,
  cursor INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE team_outbox (
  n INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('memory', 'note', 'project')),
  id TEXT NOT NULL,
  project TEXT NOT NULL,
  change_id TEXT NOT NULL,
  member TEXT,
  PRIMARY KEY (n),
  UNIQUE (kind, id)
) STRICT;

CREATE TABLE user_profile (
  id INTEGER NOT NULL,
  text TEXT NOT NULL,
  by TEXT NOT NULL CHECK (by IN ('model', 'user')),
  written_at_ms INTEGER NOT NULL,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE written_segment (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  generation INTEGER NOT NULL CHECK (generation >= 0),
  first_id TEXT NOT NULL,
  last_id TEXT NOT NULL,
  place INTEGER NOT NULL CHECK (place >= 0),
  message_count INTEGER NOT NULL CHECK (message_count >= 1),
  digest TEXT NOT NULL,
  root TEXT NOT NULL,
  project TEXT NOT NULL,
  kind TEXT NOT NULL,
  importance INTEGER NOT NULL CHECK (importance BETWEEN 0 AND 100),
  texts TEXT NOT NULL CHECK (json_type(texts) = 'object'),
  events TEXT NOT NULL CHECK (json_type(events) = 'array'),
  model TEXT NOT NULL,
  written_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, generation, first_id)
) STRICT;

CREATE TABLE upkeep_run (
  id INTEGER NOT NULL,
  project TEXT NOT NULL,
  directory TEXT NOT NULL,
  task TEXT NOT NULL,
  rest TEXT NOT NULL CHECK (json_type(rest) = 'array') DEFAULT '[]',
  asked_by TEXT NOT NULL,
  holder TEXT NOT NULL DEFAULT '',
  job_id INTEGER,
  active_memories INTEGER,
  model TEXT,
  patch TEXT,
  begun_at_ms INTEGER NOT NULL,
  ended_at_ms INTEGER,
  code TEXT,
  undone_at_ms INTEGER,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE upkeep_change (
  id INTEGER NOT NULL,
  run_id INTEGER NOT NULL REFERENCES upkeep_run (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  proposal TEXT CHECK (json_type(proposal) = 'object'),
  before TEXT NOT NULL CHECK (json_type(before) = 'array') DEFAULT '[]',
  code TEXT,
  ref TEXT NOT NULL DEFAULT '',
  result_id TEXT,
  stamp_ms INTEGER,
  undo_stamp_ms INTEGER,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE upkeep_look (
  run_id INTEGER NOT NULL REFERENCES upkeep_run (id) ON DELETE CASCADE,
  memory_id TEXT NOT NULL,
  looked_at_ms INTEGER NOT NULL,
  PRIMARY KEY (run_id, memory_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER epoch_takes_the_next_seq BEFORE INSERT ON epoch BEGIN
  SELECT RAISE(ABORT, 'an epoch takes the next seq of its session')
    WHERE NEW.seq <> (SELECT head_seq + 1 FROM session WHERE id = NEW.session_id);
  UPDATE session SET head_seq = NEW.seq WHERE id = NEW.session_id;
END;
CREATE TRIGGER epoch_is_never_updated BEFORE UPDATE ON epoch BEGIN
  SELECT RAISE(ABORT, 'epochs are never updated');
END;

CREATE INDEX entry_by_epoch ON entry (session_id, epoch_seq);
CREATE TRIGGER entry_takes_the_next_seq BEFORE INSERT ON entry BEGIN
  SELECT RAISE(ABORT, 'an entry takes the next seq of its session')
    WHERE NEW.seq <> (SELECT head_seq + 1 FROM session WHERE id = NEW.session_id);
  UPDATE session SET head_seq = NEW.seq WHERE id = NEW.session_id;
END;
CREATE TRIGGER entry_is_never_updated BEFORE UPDATE ON entry BEGIN
  SELECT RAISE(ABORT, 'ledger entries are never updated');
END;

CREATE INDEX turn_by_epoch ON turn (session_id, epoch_seq);

CREATE INDEX brief_by_compaction ON brief (session_id, compaction_id);
CREATE TRIGGER brief_is_never_updated BEFORE UPDATE ON brief BEGIN
  SELECT RAISE(ABORT, 'briefs are never updated');
END;

CREATE INDEX entry_form_refused ON entry_form (provider_id, model_id, decided_at_ms)
  WHERE cause = 'refused';
CREATE TRIGGER entry_form_once_wrapped_stays BEFORE UPDATE ON entry_form
WHEN OLD.form = 'wrapped' BEGIN
  SELECT RAISE(ABORT, 'what was sent wrapped stays wrapped');
END;

CREATE INDEX job_by_state ON job (board, state, due_at_ms);
CREATE INDEX job_by_project ON job (project, state, due_at_ms);
CREATE INDEX job_by_session ON job (session_id, state);
CREATE TRIGGER job_settles_once BEFORE UPDATE OF state ON job WHEN OLD.state = 'settled' BEGIN
  SELECT RAISE(ABORT, 'a job settles at most once');
END;

CREATE INDEX session_input_by_state ON session_input (session_id, state, rank);
CREATE INDEX session_input_open ON session_input (directory, session_id)
  WHERE state IN ('waiting', 'handed', 'refused', 'saved', 'promoted');
CREATE TRIGGER session_input_is_promoted_once BEFORE UPDATE OF promoted_at_ms ON session_input
WHEN OLD.promoted_at_ms IS NOT NULL AND NEW.promoted_at_ms IS NOT OLD.promoted_at_ms BEGIN
  SELECT RAISE(ABORT, 'an input is promoted once');
END;

CREATE INDEX kept_part_by_root ON kept_part (root);

CREATE INDEX memory_project_by_worktree ON memory_project (worktree, seen_at_ms);
CREATE INDEX memory_project_by_workspace ON memory_project (workspace);

CREATE UNIQUE INDEX memory_says_once ON memory (project, digest) WHERE state = 'active';
CREATE INDEX memory_by_rank ON memory
  (project, (source = 'user') DESC, permanence DESC, importance DESC, changed_at_ms DESC, id)
  WHERE state = 'active';
CREATE INDEX memory_by_project ON memory (project, category);
CREATE INDEX memory_by_successor ON memory (superseded_by);
CREATE INDEX memory_by_session ON memory (session_id);
CREATE INDEX memory_candidate ON memory (project, digest) WHERE candidate = 1;
CREATE UNIQUE INDEX memory_by_number ON memory (project, number);
CREATE TRIGGER memory_numbered AFTER INSERT ON memory
WHEN NEW.number IS NULL AND NEW.state <> 'superseded' BEGIN
  UPDATE memory_project SET numbered = numbered + 1 WHERE id = NEW.project;
  UPDATE memory SET number = (SELECT numbered FROM memory_project WHERE id = NEW.project)
    WHERE id = NEW.id;
END;
CREATE TRIGGER memory_numbered_again AFTER UPDATE OF state, project ON memory
WHEN NEW.number IS NULL AND NEW.state <> 'superseded' BEGIN
  UPDATE memory_project SET numbered = numbered + 1 WHERE id = NEW.project;
  UPDATE memory SET number = (SELECT numbered FROM memory_project WHERE id = NEW.project)
    WHERE id = NEW.id;
END;

CREATE INDEX note_by_project ON note (project, state);
CREATE INDEX note_by_session ON note (session_id);

CREATE INDEX team_outbox_by_project ON team_outbox (project, n);

CREATE INDEX written_segment_by_root ON written_segment (root, project);

-- One task at a time per project, over all processes and folders.
CREATE UNIQUE INDEX upkeep_one_at_a_time ON upkeep_run (project) WHERE ended_at_ms IS NULL;
CREATE INDEX upkeep_run_by_task ON upkeep_run (project, task, begun_at_ms);

CREATE INDEX upkeep_change_by_run ON upkeep_change (run_id, state);


CREATE TRIGGER memory_outlives_session AFTER DELETE ON session BEGIN
  UPDATE memory SET session_id = NULL, segment = NULL WHERE session_id = OLD.id;
END;
CREATE TRIGGER memory_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE OR IGNORE memory SET project = substr(NEW.id, length('moved:') + 1), number = NULL
    WHERE project = NEW.id;
  UPDATE note SET project = substr(NEW.id, length('moved:') + 1) WHERE project = NEW.id;
END;
CREATE TRIGGER workspace_is_left AFTER UPDATE OF workspace ON memory_project
WHEN OLD.workspace IS NOT NEW.workspace BEGIN
  DELETE FROM memory_workspace WHERE name = OLD.workspace
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = OLD.workspace);
END;
CREATE TRIGGER workspace_loses_project AFTER DELETE ON memory_project BEGIN
  DELETE FROM memory_workspace WHERE name = OLD.workspace
    AND NOT EXISTS (SELECT 1 FROM memory_project WHERE workspace = OLD.workspace);
END;


INSERT INTO team_link (one) VALUES (1);

CREATE TRIGGER team_memory_added AFTER INSERT ON memory WHEN (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('memory', NEW.id, NEW.project, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;
  -- A former wording is its author's, not that of who changed it.
  UPDATE memory SET member =
    ifnull((SELECT member FROM memory AS successor WHERE successor.id = NEW.superseded_by), link.member)
  FROM team_link AS link WHERE memory.id = NEW.id AND link.member IS NOT NULL;
END;
CREATE TRIGGER team_memory_changed
AFTER UPDATE OF text, category, importance, permanence, state, superseded_by, project, checked_at_ms
ON memory WHEN (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('memory', NEW.id, NEW.project, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;
END;
CREATE TRIGGER team_memory_written
AFTER UPDATE OF text, category, permanence, state ON memory WHEN (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.project) BEGIN
  UPDATE memory SET member = (SELECT member FROM team_link)
  WHERE id = NEW.id AND (SELECT member FROM team_link) IS NOT NULL;
END;
-- The day of its last use is shared, each single use is not.
CREATE TRIGGER team_memory_used AFTER UPDATE OF used_at_ms ON memory
WHEN NEW.used_at_ms / 86400000 > ifnull(OLD.used_at_ms, 0) / 86400000 AND (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('memory', NEW.id, NEW.project, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;
END;
CREATE TRIGGER team_memory_deleted AFTER DELETE ON memory WHEN (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = OLD.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id, member)
  SELECT 'memory', OLD.id, OLD.project, lower(hex(randomblob(16))), ifnull(member, OLD.member)
  FROM team_link WHERE true
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project,
    member = excluded.member;
END;

CREATE TRIGGER team_note_added AFTER INSERT ON note WHEN NEW.session_id IS NULL AND NEW.condition IS NULL AND (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('note', NEW.id, NEW.project, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;
  UPDATE note SET member = (SELECT member FROM team_link)
  WHERE id = NEW.id AND (SELECT member FROM team_link) IS NOT NULL;
END;
CREATE TRIGGER team_note_changed AFTER UPDATE OF state, project ON note WHEN NEW.session_id IS NULL AND NEW.condition IS NULL AND (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('note', NEW.id, NEW.project, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;
  UPDATE note SET member = (SELECT member FROM team_link)
  WHERE id = NEW.id AND (SELECT member FROM team_link) IS NOT NULL;
END;
CREATE TRIGGER team_note_deleted AFTER DELETE ON note WHEN OLD.session_id IS NULL AND OLD.condition IS NULL AND (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = OLD.project) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id, member)
  SELECT 'note', OLD.id, OLD.project, lower(hex(randomblob(16))), ifnull(member, OLD.member)
  FROM team_link WHERE true
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project,
    member = excluded.member;
END;

CREATE TRIGGER team_project_moved AFTER UPDATE OF workspace, shares ON memory_project
WHEN (NEW.workspace IS NOT OLD.workspace OR NEW.shares <> OLD.shares) AND (SELECT applying FROM team_link) = 0 AND EXISTS (SELECT 1 FROM team_project WHERE id = NEW.id) BEGIN
  INSERT INTO team_outbox (kind, id, project, change_id)
  VALUES ('project', NEW.id, NEW.id, lower(hex(randomblob(16))))
  ON CONFLICT (kind, id) DO UPDATE SET change_id = excluded.change_id, project = excluded.project;
END;
-- The team has it under this key.
CREATE TRIGGER team_project_stays BEFORE UPDATE OF id ON memory_project
WHEN EXISTS (SELECT 1 FROM team_project WHERE id = OLD.id) BEGIN
  SELECT RAISE(IGNORE);
END;


CREATE TRIGGER written_segment_moves_with_project AFTER UPDATE OF id ON memory_project
WHEN NEW.id LIKE 'moved:%' BEGIN
  UPDATE written_segment SET project = substr(NEW.id, length('moved:') + 1) WHERE project = OLD.id;
END;


-- What is forgotten for good is forgotten here, too.
CREATE TRIGGER upkeep_forgets_memory AFTER DELETE ON memory BEGIN
  DELETE FROM upkeep_change WHERE instr(before, OLD.id) > 0 OR result_id = OLD.id;
END;
