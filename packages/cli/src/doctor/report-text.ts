// The report for a reader.
import type { Style } from "../terminal/style.ts";
import { type Diagnosis, findingsOf } from "./diagnosis.ts";
import type { Finding, Severity } from "./finding.ts";

/** The report for a reader: one line where all is well, cause and fix where it isn't. */
export function reportText(diagnosis: Diagnosis, style: Style): string {
  const lines = diagnosis.results.flatMap((entry) => checkLines(entry, style));
  return [...lines, "", summaryOf(findingsOf(diagnosis), style)].join("\n");
}

function checkLines(
  { check, result }: Diagnosis["results"][number],
  style: Style,
): readonly string[] {
  switch (result.kind) {
    case "passed":
      return [`${style.good("✔")} ${check.title} ${style.dim(result.says)}`];
    case "skipped":
      return [style.dim(`- ${check.title}: not checked, as ${result.because}`)];
    case "found":
      return result.findings.flatMap((finding) => findingLines(finding, style));
  }
}

function findingLines({ severity, what, cause, fix, code, repair }: Finding, style: Style) {
  const safe = repair === null ? "" : ` ${style.dim("(--fix does it)")}`;
  return [
    `${markOf(severity, style)} ${style.bold(what)} ${style.dim(code)}`,
    `    Cause: ${cause}`,
    `    Fix:   ${fix}${safe}`,
  ];
}

function markOf(severity: Severity, style: Style): string {
  switch (severity) {
    case "error":
      return style.bad("✘");
    case "warning":
      return style.warn("!");
    case "note":
      return style.accent("·");
  }
}

function summaryOf(findings: readonly Finding[], style: Style): string {
  if (findings.length === 0) return style.good("Everything is as it should be.");
  const count = (severity: Severity, word: string) => {
    const number = findings.filter((finding) => finding.severity === severity).length;
    return number === 0 ? [] : [`${number} ${word}${number === 1 ? "" : "s"}`];
  };
  const counts = [
    ...count("error", "error"),
    ...count("warning", "warning"),
    ...count("note", "note"),
  ];
  return `${counts.join(", ")}.`;
}
