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

/** Replaces the cells after the first one, in the row of a Markdown table that begins with it. */
export function writeTableRow(path, label, cells) {
  const rows = readFileSync(path, "utf8").split("\n");
  const at = rows.findIndex((row) => row.startsWith(`| ${label} |`));
  if (at < 0) throw new Error(`${path} has no row of a table that begins with "${label}".`);
  writeFileSync(path, rows.with(at, `| ${[label, ...cells].join(" | ")} |`).join("\n"));
}

/** Negative, zero or positive as the first is older, the same or newer. */
export function compareVersions(left, right) {
  const [one, other] = [left, right].map((version) => version.split(".").map(Number));
  const place = one.findIndex((part, index) => part !== other[index]);
  return place < 0 ? 0 : one[place] - other[place];
}
