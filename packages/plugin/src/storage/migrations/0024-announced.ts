// Schema 24: an entry's column and the origin of updates by the words that the code has for them.

/** The rows stay as they are but for that one name, so the trigger steps aside for it. */
export const announcedSchema = `
ALTER TABLE entry RENAME COLUMN told TO announced;
DROP TRIGGER entry_is_never_updated;
UPDATE entry SET origin = 'announce-update' WHERE origin = 'tell-update';
CREATE TRIGGER entry_is_never_updated BEFORE UPDATE ON entry BEGIN
  SELECT RAISE(ABORT, 'ledger entries are never updated');
END;
`;
