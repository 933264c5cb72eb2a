// Runs all checks on the facts.
// Folder: Finds what is wrong with an installation, and repairs it.
import { EXIT, type ExitCode } from "../cli-error.ts";
import { CHECKS } from "./checks.ts";
import type { Facts } from "./facts/facts.ts";
import { type Check, type CheckResult, type Finding, skipped } from "./finding.ts";

export interface Diagnosis {
  readonly results: readonly { readonly check: Check; readonly result: CheckResult }[];
}

/** Reports each cause once: a check that only sees its consequences is skipped. */
export function diagnose(facts: Facts): Diagnosis {
  const codes = new Set<string>();
  const results = CHECKS.map((check) => {
    const answer = check.answeredBy.find((code) => codes.has(code));
    const result = answer === undefined ? check.run(facts) : skipped(`see ${answer}`);
    if (result.kind === "found") for (const { code } of result.findings) codes.add(code);
    return { check, result };
  });
  return { results };
}

export function collectFindings({ results }: Diagnosis): readonly Finding[] {
  return results.flatMap(({ result }) => (result.kind === "found" ? result.findings : []));
}

export interface Totals {
  readonly passed: number;
  readonly notChecked: number;
  readonly notes: number;
  readonly toFix: number;
}

export function countTotals(diagnosis: Diagnosis): Totals {
  const kinds = diagnosis.results.map(({ result }) => result.kind);
  const findings = collectFindings(diagnosis);
  const notes = findings.filter(({ severity }) => severity === "note").length;
  return {
    passed: kinds.filter((kind) => kind === "passed").length,
    notChecked: kinds.filter((kind) => kind === "skipped").length,
    notes,
    toFix: findings.length - notes,
  };
}

/** Returns the exit code; notes are not a reason for a script to stop. */
export function toExitCode(diagnosis: Diagnosis): ExitCode {
  const needsYou = collectFindings(diagnosis).some(({ severity }) => severity !== "note");
  return needsYou ? EXIT.findings : EXIT.done;
}
