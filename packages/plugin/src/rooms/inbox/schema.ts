// What the inbox keeps: prompts that were admitted, and who drives a session.
import type { SchemaPart } from "../../storage/schema-part.ts";
import { leaseTable } from "./lease-store.ts";
import { inputTable } from "./records.ts";

export const inboxTables: SchemaPart = {
  tables: [inputTable, leaseTable],
  migrations: [
    {
      version: 2,
      sql: `
CREATE TABLE session_input (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  -- The admission: a message id for the host's own prompts.
  id TEXT NOT NULL PRIMARY KEY,
  -- The order of promotion among the session's inputs; moving a waiting one changes it.
  rank INTEGER NOT NULL CHECK (rank >= 1),
  directory TEXT NOT NULL,
  delivery TEXT NOT NULL CHECK (delivery IN ('steer', 'queue')),
  state TEXT NOT NULL CHECK (state IN ('waiting', 'handed', 'refused', 'saved', 'promoted',
    'recorded', 'answered', 'dropped', 'undone', 'swallowed')),
  message_id TEXT UNIQUE CHECK ((message_id IS NULL) <= (state IN ('waiting', 'dropped'))),
  digest TEXT NOT NULL,
  -- A JSON string; empty when the prompt is gone.
  preview TEXT NOT NULL CHECK (json_type(preview) = 'text'),
  part_count INTEGER NOT NULL CHECK (part_count >= 0),
  -- Gone once nothing can need it again.
  prompt TEXT CHECK (json_type(prompt) = 'object'),
  admitted_at_ms INTEGER NOT NULL,
  promoted_at_ms INTEGER,
  settled_at_ms INTEGER
) STRICT;
CREATE INDEX session_input_by_state ON session_input (session_id, state, rank);
CREATE INDEX session_input_open ON session_input (directory, session_id)
  WHERE state IN ('waiting', 'handed', 'refused', 'saved', 'promoted');

CREATE TRIGGER session_input_is_promoted_once BEFORE UPDATE OF promoted_at_ms ON session_input
WHEN OLD.promoted_at_ms IS NOT NULL AND NEW.promoted_at_ms IS NOT OLD.promoted_at_ms BEGIN
  SELECT RAISE(ABORT, 'an input is promoted once');
END;

CREATE TABLE session_lease (
  session_id TEXT NOT NULL PRIMARY KEY REFERENCES session (id) ON DELETE CASCADE,
  owner TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
`,
    },
  ],
};
