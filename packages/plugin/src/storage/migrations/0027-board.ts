// Migration 27: a job names its project, beside the board that it is run from.
export const boardSchema = `
ALTER TABLE job RENAME COLUMN project TO board;
-- NULL: nobody has found out yet whose the board is.
ALTER TABLE job ADD COLUMN project TEXT;
CREATE INDEX job_by_project ON job (project, state, due_at_ms);
`;
