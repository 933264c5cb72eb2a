// The records of survivors that stay, each with its reason.
import { readFileSync, writeFileSync } from "node:fs";

/**
 * Survivors that stay, each with its reason: `{ file, code, mutator, original, replacement, verdict,
 * reason }`. "equivalent" says that no test can notice it: it doesn't count. "accepted" says that one
 * could, and that it is not worth it: it counts as a survivor. Lines are known by their text, so that
 * a record outlives edits elsewhere.
 */
const VERDICTS = ["equivalent", "accepted"];

export function readAccepted(file) {
  const records = JSON.parse(readFileSync(file, "utf8"));
  for (const record of records) {
    if (!VERDICTS.includes(record.verdict) || !record.reason) {
      throw new Error(
        `${file}: ${record.file}: ${record.code}: a record needs a verdict (${VERDICTS.join(", ")}) and a reason`,
      );
    }
  }
  return records;
}

/** Text on one line, and not too long: as it stands in records and reports. */
export function brief(text) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`;
}

/** What distinguishes a mutant from the others of its file without naming its line by number. */
export function identity({ file, code, mutator, original, replacement }) {
  return [file, code, mutator, brief(original), brief(replacement)].join("\n");
}

/** The mutants with the record that is theirs, or null. */
export function withRecords(mutants, records) {
  const known = new Map(records.map((record) => [identity(record), record]));
  return mutants.map((mutant) => ({ ...mutant, record: known.get(identity(mutant)) ?? null }));
}

/** Records about these files that no mutant answers to, or only mutants that tests notice. */
export function staleRecords(mutants, records, files) {
  const undetected = new Set(
    mutants.filter(({ status }) => ["survived", "no test"].includes(status)).map(identity),
  );
  return records.filter(
    (record) => files.includes(record.file) && !undetected.has(identity(record)),
  );
}

/** Survivors as records, for someone to write the reason, and another verdict if need be. */
export function draftRecords(mutants) {
  return mutants.map(({ file, code, mutator, original, replacement }) => {
    return {
      file,
      code,
      mutator,
      original: brief(original),
      replacement: brief(replacement),
      verdict: "equivalent",
      reason: "",
    };
  });
}

export function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
