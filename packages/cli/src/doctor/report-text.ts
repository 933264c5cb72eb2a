// Renders the report for a terminal.
import type { Style } from "../terminal/style.ts";
import { countTotals, type Diagnosis } from "./diagnosis.ts";
import type { Finding, Severity } from "./finding.ts";

/** Renders the report: one line for a passed check, cause and fix for a finding. */
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

/** Says whether the plugin was seen working, which takes a start of a host. */
function wasSeenAtWork({ results }: Diagnosis): boolean {
  return results.some(({ check, result }) => AT_WORK.has(check.id) && result.kind === "passed");
}

/** Renders totals: what passed, what may wait, what needs the user. */
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
