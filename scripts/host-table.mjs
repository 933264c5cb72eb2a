// The table of host versions, and its place in docs/hosts.md.
import { readFileSync, writeFileSync } from "node:fs";

const VERDICTS = {
  works: "works",
  partly: "does not work fully",
  fails: "does not work",
};

/** The results as a Markdown table, newest version first. */
export function hostTable(versions) {
  const rows = versions.map(
    ({ version, verdict, passed, failed }) =>
      `| ${version} | ${VERDICTS[verdict]} | ${passed} of ${passed + failed} |`,
  );
  return ["| OpenCode | Session Runtime | tests that pass |", "|---|---|---|", ...rows].join("\n");
}

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->`. */
export function writeBetweenMarks(path, name, text) {
  const former = readFileSync(path, "utf8");
  const marked = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- /${name} -->)`);
  if (!marked.test(former)) throw new Error(`${path} has no place marked <!-- ${name} -->.`);
  writeFileSync(
    path,
    former.replace(marked, (_, open, close) => `${open}${text}\n${close}`),
  );
}

/** Negative, zero or positive as the first is older, the same or newer. */
export function compareVersions(left, right) {
  const [one, other] = [left, right].map((version) => version.split(".").map(Number));
  const place = one.findIndex((part, index) => part !== other[index]);
  return place < 0 ? 0 : one[place] - other[place];
}
