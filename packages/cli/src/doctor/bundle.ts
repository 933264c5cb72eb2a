// The report for an issue.
import { release } from "node:os";
import { PLAIN } from "../terminal/style.ts";
import { type Diagnosis, findingsOf } from "./diagnosis.ts";
import type { Facts } from "./facts/facts.ts";
import { redact, redactionFor } from "./redact.ts";
import { reportText } from "./report-text.ts";

const LOG_LINES = 60;

/** A report for an issue, as Markdown. No text of a conversation, no path and no key is in it. */
export function bundleText(diagnosis: Diagnosis, facts: Facts, version: string): string {
  const { search, plugins, packages, database, trial } = facts;
  const lines = [
    "# session-runtime doctor",
    "",
    `- session-runtime ${version}, Node ${process.version}, ${process.platform} ${process.arch} ${release()}`,
    `- OpenCode: ${search.found === null ? "not found" : `${search.found.version} at ${search.found.path}`}`,
    `- plugins: ${plugins.map(({ spec }) => spec).join(", ") || "none"}`,
    `- cached packages: ${packages.map(({ spec, version: cached }) => `${spec} (${cached})`).join(", ") || "none"}`,
    `- database: ${database.kind === "absent" ? "none" : `${database.sizeBytes} bytes, ${database.soundness.state}`}`,
    `- findings: ${
      findingsOf(diagnosis)
        .map(({ code }) => code)
        .join(", ") || "none"
    }`,
    "",
    "## Report",
    "",
    "```",
    reportText(diagnosis, PLAIN),
    "```",
    "",
    "## OpenCode's log of the trial (last lines)",
    "",
    "```",
    ...(trial?.log ?? "").trimEnd().split("\n").slice(-LOG_LINES),
    "```",
    "",
  ];
  return redact(lines.join("\n"), redactionFor(facts.directory, facts.env));
}
