// The report for a reader.
import type { Style } from "../terminal/style.ts";
import { countTotals, type Diagnosis } from "./diagnosis.ts";
import type { Finding, Severity } from "./finding.ts";

/** The report for a reader: one line where all is well, cause and fix where it isn't. */
export function reportText(diagnosis: Diagnosis, style: Style): string {
  const lines = diagnosis.results.flatMap((entry) => checkLines(entry, style));
  return [...lines, "", formatTotals(diagnosis, style)].join("\n");
}

function checkLines(
  { check, result }: Diagnosis["results"][number],
  style: Style,
): readonly string[] {
  switch (result.kind) {
    case "passed":
      return [`${style.good("✔")} ${check.title}${style.dim(`: ${result.says}`)}`];
    case "skipped":
      return [style.dim(`- ${check.title}: not checked (${result.because})`)];
    case "nothing-here":
      return [];
    case "found":
      return result.findings.flatMap((finding) => findingLines(finding, style));
  }
}

function findingLines({ severity, what, cause, fix, code, repair }: Finding, style: Style) {
  const safe = repair ? ` ${style.dim("(--fix does it)")}` : "";
  return [
    `${severityMark(severity, style)} ${style.bold(what)} ${style.dim(code)}`,
    `    Cause: ${cause}`,
    `    Fix:   ${fix}${safe}`,
  ];
}

function severityMark(severity: Severity, { bad, warn, accent }: Style): string {
  return { error: bad("✘"), warning: warn("!"), note: accent("·") }[severity];
}

const AT_WORK: ReadonlySet<string> = new Set(["plugin-loads", "pi-loads"]);

/** Without a start of a host, nobody has seen the plugin work. */
function wasSeenAtWork({ results }: Diagnosis): boolean {
  return results.some(({ check, result }) => AT_WORK.has(check.id) && result.kind === "passed");
}

/** Totals: what passed, what may wait, what needs you. */
function formatTotals(diagnosis: Diagnosis, style: Style): string {
  const { passed, notChecked, notes, toFix } = countTotals(diagnosis);
  const counts = [
    `${passed} passed`,
    ...(notChecked === 0 ? [] : [`${notChecked} not checked`]),
    `${notes} ${notes === 1 ? "note" : "notes"}`,
    `${toFix} to fix`,
  ].join(", ");
  if (toFix > 0) return style.bold(`${counts}.`);
  return style.good(
    `${wasSeenAtWork(diagnosis) ? "Everything works" : "Nothing to fix"}: ${counts}.`,
  );
}
