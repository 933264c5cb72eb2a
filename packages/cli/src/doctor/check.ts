// One question that doctor asks.
import type { Facts } from "./facts/facts.ts";
import type { CheckResult } from "./finding.ts";

/** Pure: the same facts give the same answer. */
export interface Check {
  readonly id: string;
  /** What is asked, as a heading. */
  readonly title: string;
  /** Codes of earlier findings that answer it already: what it would find follows from them. */
  readonly answeredBy: readonly string[];
  run(facts: Facts): CheckResult;
}
