// Schema 6: what calls were paid for.

/**
 * In billionths of a US dollar, by the host's own price record; NULL where it has none. An epoch that
 * opens for a reason is no bust: older versions stored one.
 */
export const costSchema = `
ALTER TABLE turn ADD COLUMN paid_nanos INTEGER;
-- What it would have cost more, had the cache been lost.
ALTER TABLE turn ADD COLUMN rewrite_nanos INTEGER
  CHECK ((paid_nanos IS NULL) = (rewrite_nanos IS NULL));
UPDATE turn SET bust = NULL WHERE bust = 'a new epoch began';
`;
