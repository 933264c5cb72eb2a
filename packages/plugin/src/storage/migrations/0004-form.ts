// Schema: the form in which a model was first sent an update.

/** In which form a model was first sent an update, where that is not the wrapped text by default. */
export const formSchema = `
CREATE TABLE entry_form (
  session_id TEXT NOT NULL,
  entry_seq INTEGER NOT NULL,
  -- Prefixes are per model, and so is the form.
  provider_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  form TEXT NOT NULL CHECK (form IN ('native', 'wrapped')),
  cause TEXT NOT NULL CHECK (cause IN ('first', 'place', 'refused')),
  decided_at_ms INTEGER NOT NULL,
  PRIMARY KEY (session_id, entry_seq, provider_id, model_id),
  FOREIGN KEY (session_id, entry_seq) REFERENCES entry (session_id, seq) ON DELETE CASCADE
) STRICT;
CREATE INDEX entry_form_refused ON entry_form (provider_id, model_id, decided_at_ms)
  WHERE cause = 'refused';

CREATE TRIGGER entry_form_once_wrapped_stays BEFORE UPDATE ON entry_form
WHEN OLD.form = 'wrapped' BEGIN
  SELECT RAISE(ABORT, 'what was sent wrapped stays wrapped');
END;
`;
