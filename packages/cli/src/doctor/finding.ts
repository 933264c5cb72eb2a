// Defines a check and its finding: cause, fix, repair.
import type { Facts } from "./facts/facts.ts";

/** Defines one question of doctor. Pure: the same facts give the same answer. */
export interface Check {
  readonly id: string;
  /** The question as a heading. */
  readonly title: string;
  /**
   * Codes of earlier findings that already answer the question, because its own finding would follow from
   * them.
   */
  readonly answeredBy: readonly string[];
  run(facts: Facts): CheckResult;
}

/**
 * Says how much a finding matters: an error stops the plugin from working, a warning costs, a note may wait.
 */
export type Severity = "error" | "warning" | "note";

/** Describes what a check found, with its cause and what to do. */
export interface Finding {
  /** A stable code for scripts. */
  readonly code: string;
  readonly severity: Severity;
  readonly what: string;
  readonly cause: string;
  readonly fix: string;
  /** The work of `--fix`: only what can be undone or fetched again. Without a repair the user must act. */
  readonly repair?: Repair;
}

/** Describes a repair as a value: checks only find, and `repair.ts` alone acts. */
export type Repair =
  /** Removes other users' permissions. */
  | {
      readonly kind: "make-private";
      /** Databases, with their companions. */
      readonly files: readonly string[];
      readonly folders: readonly string[];
    }
  /** Removes a copy of a package that the host fetches again. */
  | { readonly kind: "remove-cached-package"; readonly folder: string }
  /** Adds the plugin to a config, as setup does. */
  | { readonly kind: "set-up"; readonly scope: "global" | "project"; readonly spec: string };

/** Holds one check's result. */
export type CheckResult =
  | { readonly kind: "passed"; readonly says: string }
  | { readonly kind: "skipped"; readonly because: string }
  /** The subject does not exist on this machine, and nothing needs it, so the report has no line. */
  | { readonly kind: "nothing-here" }
  | { readonly kind: "found"; readonly findings: readonly Finding[] };

export const NOTHING_HERE: CheckResult = { kind: "nothing-here" };

export function passed(says: string): CheckResult {
  return { kind: "passed", says };
}

export function skipped(because: string): CheckResult {
  return { kind: "skipped", because };
}

export function found(...findings: readonly Finding[]): CheckResult {
  return { kind: "found", findings };
}

/** Says how to update the plugin and this command. */
export const UPDATE =
  "Update Session Runtime: `git pull`, `npm install` and `npm run cli -- setup` in its clone.";
