// Runs every check on the facts.
// Folder: Finds what is wrong with an installation, and repairs it.
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Check } from "./check.ts";
import { CHECKS } from "./checks.ts";
import type { Facts } from "./facts/facts.ts";
import type { CheckResult, Finding } from "./finding.ts";

/** What every check says of the facts. */
export interface Diagnosis {
  readonly results: readonly { readonly check: Check; readonly result: CheckResult }[];
}

export function diagnose(facts: Facts): Diagnosis {
  return { results: CHECKS.map((check) => ({ check, result: check.run(facts) })) };
}

export function findingsOf({ results }: Diagnosis): readonly Finding[] {
  return results.flatMap(({ result }) => (result.kind === "found" ? result.findings : []));
}

/** Notes are no reason for a script to stop. */
export function exitCodeOf(diagnosis: Diagnosis): ExitCode {
  const needsYou = findingsOf(diagnosis).some(({ severity }) => severity !== "note");
  return needsYou ? EXIT.findings : EXIT.done;
}
