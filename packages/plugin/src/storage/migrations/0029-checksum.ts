// Migration 29: rows whose texts are sent have a checksum.

/** NULL: the row is of an earlier version, and taken as it is. */
export const checksumSchema = `
ALTER TABLE epoch ADD COLUMN checksum TEXT;
ALTER TABLE entry ADD COLUMN checksum TEXT;
ALTER TABLE prepared_edit ADD COLUMN checksum TEXT;
ALTER TABLE brief ADD COLUMN checksum TEXT;
`;
