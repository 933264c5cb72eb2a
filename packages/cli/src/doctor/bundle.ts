// Renders the report for an issue.
import { closeSync, existsSync, openSync, readSync } from "node:fs";
import { release } from "node:os";
import { dirname } from "node:path";
import { CliError, EXIT } from "../cli-error.ts";
import { writeWhole } from "../config-file/write-file.ts";
import type { Trial } from "../live/trial.ts";
import { withoutQuotes } from "../live/verdict.ts";
import { errorCode } from "../system-error.ts";
import { PLAIN } from "../terminal/style.ts";
import { collectFindings, type Diagnosis } from "./diagnosis.ts";
import type { Facts } from "./facts/facts.ts";
import { maskedSettings } from "./masked-settings.ts";
import { redact, redactionFor } from "./redact.ts";
import { reportText } from "./report-text.ts";

const HEADING = "# session-runtime doctor";
const HOST_LOG_LINES = 60;
const PRIVATE = 0o600;

/** Checks before any work whether the report can be written there. */
export function checkBundlePlace(path: string): void {
  const refuse = (message: string, advice: string) =>
    new CliError("bundle-place", message, advice, EXIT.usage);
  if (!existsSync(dirname(path))) {
    throw refuse(`There is no folder ${dirname(path)}.`, "Create it first, or name another file.");
  }
  if (!existsSync(path)) return;
  const heading = readHeading(path);
  if (heading === null) throw refuse(`${path} is a folder.`, "Name a file in it.");
  if (heading !== HEADING && heading !== "") {
    throw refuse(
      `${path} exists and is not one of doctor's reports.`,
      "Name another file: this one would be overwritten.",
    );
  }
}

export function writeBundle(path: string, text: string): void {
  writeWhole(path, text, PRIVATE);
}

/** Renders Markdown without any text of a conversation or of instructions, path or secret. */
export function bundleText(diagnosis: Diagnosis, facts: Facts, version: string): string {
  const { search, plugins, packages, database, trial, settings, log, pi } = facts;
  const { file } = database;
  const cached = packages.map((one) => `${one.spec} (${one.version ?? "incomplete"})`);
  const codes = collectFindings(diagnosis).map(({ code }) => code);
  const lines = [
    HEADING,
    "",
    `- session-runtime ${version}, Node ${process.version}, ${process.platform} ${process.arch} ${release()}`,
    `- OpenCode: ${search.found === null ? "not found" : `${search.found.version} at ${search.found.path}`}`,
    `- Pi: ${pi.search.found === null ? "not found" : `${pi.search.found.version} at ${pi.search.found.path}, Node ${pi.node ?? "unknown"}`}; ${listOr(pi.entries.map(({ spec }) => spec))}`,
    `- plugins: ${listOr(plugins.map(({ spec }) => spec))}`,
    `- cached packages: ${listOr(cached)}`,
    `- database: ${file === null ? "none" : `${file.sizeBytes} bytes, ${file.soundness.state}`}, ${database.write.kind}`,
    `- findings: ${listOr(codes)}`,
    "",
    ...section("Report", withoutQuotes(reportText(diagnosis, PLAIN)).split("\n")),
    ...settings.layers.flatMap((layer) =>
      section(`Settings in ${layer.file}`, maskedSettings(layer.value).split("\n")),
    ),
    ...sectionUnlessEmpty("Session Runtime's log (last lines)", log),
    ...sectionUnlessEmpty("OpenCode's log of the trial (last lines)", lastLines(trial)),
  ];
  return redact(lines.join("\n"), redactionFor(facts.directory, facts.env));
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return [`## ${title}`, "", "```", ...lines, "```", ""];
}

function sectionUnlessEmpty(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : section(title, lines);
}

function lastLines(trial: Trial | null): readonly string[] {
  const log = trial?.log.trimEnd() ?? "";
  return log === "" ? [] : log.split("\n").slice(-HOST_LOG_LINES);
}

function listOr(words: readonly string[]): string {
  return words.join(", ") || "none";
}

/** Reads as many characters as our heading has; null for a folder. */
function readHeading(path: string): string | null {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(HEADING.length);
    const length = readSync(file, bytes);
    return bytes.toString("utf8", 0, length);
  } catch (error) {
    if (errorCode(error) === "EISDIR") return null;
    throw error;
  } finally {
    closeSync(file);
  }
}
