// Schema 23: which host a session runs in.

/** NULL: OpenCode, as all sessions did. */
export const harnessSchema = `
ALTER TABLE session ADD COLUMN harness TEXT;
`;
