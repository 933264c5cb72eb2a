// A check, and what it finds: cause, fix, repair.
import type { Facts } from "./facts/facts.ts";

/** One question that doctor asks. Pure: the same facts give the same answer. */
export interface Check {
  readonly id: string;
  /** What is asked, as a heading. */
  readonly title: string;
  /** Codes of earlier findings that answer it already: what it would find follows from them. */
  readonly answeredBy: readonly string[];
  run(facts: Facts): CheckResult;
}

/** How much it matters: an error keeps the plugin from its work, a warning costs, a note may wait. */
export type Severity = "error" | "warning" | "note";

/** Something that a check found, with its cause and what to do. */
export interface Finding {
  /** Stable, for scripts. */
  readonly code: string;
  readonly severity: Severity;
  readonly what: string;
  readonly cause: string;
  readonly fix: string;
  /** What `--fix` would do: only what can be undone or fetched again. Without one it needs you. */
  readonly repair?: Repair;
}

/** A repair as a value: checks only find, and `repair.ts` alone does. */
export type Repair =
  /** Takes the rights of others away. */
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

/** What one check says. */
export type CheckResult =
  | { readonly kind: "passed"; readonly says: string }
  | { readonly kind: "skipped"; readonly because: string }
  /** What it asks about is not on this machine, and nothing wants it: no line of the report. */
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

/** How the plugin and this command become newer. */
export const UPDATE =
  "Update Session Runtime: `git pull`, `npm install` and `npm run cli -- setup` in its clone.";
