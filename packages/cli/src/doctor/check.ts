// What a check is.
import type { Facts } from "./facts/facts.ts";
import type { CheckResult } from "./finding.ts";

/** One question that doctor asks. Pure: the same facts give the same answer. */
export interface Check {
  readonly id: string;
  /** What is asked, as a heading. */
  readonly title: string;
  run(facts: Facts): CheckResult;
}
