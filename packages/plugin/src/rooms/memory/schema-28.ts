// Schema 28: each folder of a project, where only the one that it was last at work in was known.

export const schema28 = `
CREATE TABLE project_place (
  worktree TEXT NOT NULL PRIMARY KEY,
  project TEXT NOT NULL,
  seen_at_ms INTEGER NOT NULL
) STRICT;
INSERT OR REPLACE INTO project_place
  SELECT worktree, id, seen_at_ms FROM memory_project WHERE worktree <> '' ORDER BY seen_at_ms;
`;
