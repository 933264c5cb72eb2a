// Schema 19: what a job's feature finds it by.

/** Nobody read the digest of the input. The features whose jobs are looked for fill the new column. */
export const subjectSchema = `
ALTER TABLE job DROP COLUMN input_digest;
ALTER TABLE job ADD COLUMN subject TEXT;
`;
