// Compares versions, and checks them against ranges.

/** Says whether `version` is in a range of comparators such as `>=1.18.20 <3`, as our manifest has it. */
export function isInRange(version: string, range: string): boolean {
  const found = parseVersion(version);
  return range.split(/\s+/).every((comparator) => {
    const [, operator = "=", bound = ""] = /^(>=|<=|>|<|=)?(.*)$/.exec(comparator) ?? [];
    const order = compare(found, parseVersion(bound));
    switch (operator) {
      case ">=":
        return order >= 0;
      case "<=":
        return order <= 0;
      case ">":
        return order > 0;
      case "<":
        return order < 0;
      default:
        return order === 0;
    }
  });
}

/** Returns a negative number, zero or a positive one as the first is older, the same or newer. */
export function compareVersions(left: string, right: string): number {
  return compare(parseVersion(left), parseVersion(right));
}

/** Says whether a version of OpenCode is of its second major, or a later one. */
export function isOpenCode2(version: string): boolean {
  return compareVersions(version, "2.0.0") >= 0;
}

function parseVersion(version: string): readonly number[] {
  return version
    .replace(/[-+].*$/, "")
    .split(".")
    .map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  for (let place = 0; place < 3; place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
