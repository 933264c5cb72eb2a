// Reads our test results for each version of the host.
import results from "../host-versions.json" with { type: "json" };

/** Holds the result of the real-host tests for one version of OpenCode; `scripts/host-versions.mjs` runs them. */
export interface TestedVersion {
  readonly version: string;
  readonly verdict: "works" | "partly" | "fails";
  /** Titles of the tests that failed. */
  readonly failing: readonly string[];
}

export function testedVersions(): readonly TestedVersion[] {
  const versions: readonly unknown[] = results.versions;
  return versions.filter(isTested);
}

function isTested(value: unknown): value is TestedVersion {
  return (
    typeof value === "object" &&
    value !== null &&
    "version" in value &&
    "verdict" in value &&
    "failing" in value &&
    Array.isArray(value.failing)
  );
}
