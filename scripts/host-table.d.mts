// Types of host-table.mjs.

/** What the tests said of one version of the host. */
export interface HostResult {
  readonly version: string;
  readonly verdict: "works" | "partly" | "fails";
  readonly passed: number;
  readonly failed: number;
  /** Titles of the tests that failed. */
  readonly failing: readonly string[];
}

/** The results as a Markdown table, newest version first. */
export function hostTable(versions: readonly HostResult[]): string;

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
export function writeBetweenMarks(path: string, name: string, text: string): void;

/** Replaces the cells after the first one, in the row of a Markdown table that begins with it. */
export function writeTableRow(path: string, label: string, cells: readonly string[]): void;

/** Negative, zero or positive as the first is older, the same or newer. */
export function compareVersions(left: string, right: string): number;
