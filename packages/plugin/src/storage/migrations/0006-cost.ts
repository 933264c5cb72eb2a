// Schema 6: what calls were paid for.

/**
 * In billionths of a US dollar, by the host's own price record; NULL where it has none. An epoch that
 * opens for a reason is not a bust: older versions stored one.
 */
export const costSchema = `
ALTER TABLE turn ADD COLUMN paid_nanos INTEGER;
-- What the host alone would have paid more for it; negative where it would have paid less.
ALTER TABLE turn ADD COLUMN saved_nanos INTEGER
  CHECK ((paid_nanos IS NULL) = (saved_nanos IS NULL));
UPDATE turn SET bust = NULL WHERE bust = 'a new epoch began';
`;
