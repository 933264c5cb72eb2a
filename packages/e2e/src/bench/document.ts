// Keeps results in docs/benchmarks.json, and writes two pages from them: docs/benchmarks.md says which targets
// are met, docs/lab/benchmarks.md has every table.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Column, markdownTable } from "../terminal/table.ts";
import { type Section, verdictTable } from "./section.ts";
import { measuresHistory, SECTION_NAMES, type SectionName } from "./targets.ts";

const DOCS = join(import.meta.dir, "../../../../docs");

export interface BenchFiles {
  readonly results: string;
  /** The short page: a row for each benchmark. */
  readonly document: string;
  /** The long page: all tables, and how each was measured. */
  readonly details: string;
}

export const FILES: BenchFiles = {
  results: join(DOCS, "benchmarks.json"),
  document: join(DOCS, "benchmarks.md"),
  details: join(DOCS, "lab/benchmarks.md"),
};

/** What one run of a benchmark came to. */
export interface Result extends Omit<Section, "name"> {
  /** The day, as in 2026-01-31. */
  readonly measuredOn: string;
  readonly machine: string;
  /** The mark of history's policy then, where the benchmark measures it. */
  readonly policy?: string;
  /** The digest of what the benchmark exercises (exercised.ts), as it stood then. */
  readonly sources: string;
}

/** The newest of each benchmark. */
export type Results = Readonly<Partial<Record<SectionName, Result>>>;

const HEAD = `# Benchmarks

Which targets are met, benchmark by benchmark; [the lab](lab/benchmarks.md) has under the same titles all tables, and how each was measured. \`npm run bench\` writes both pages from docs/benchmarks.json, where it keeps its results; \`npm run bench -- NAME\` measures one benchmark again. A benchmark is stale where history's policy has changed since it was measured.
`;

const DETAILS_HEAD = `# Benchmarks in full

\`npm run bench\` writes this page from docs/benchmarks.json, where it keeps its results. [The short page](../benchmarks.md) has the targets alone. The host is the real OpenCode in a throwaway home; the provider is a mock on the same machine. "Without" and "with" mean without and with the plugin.
`;

const POLICY =
  "History's policy when this page was written: `MARK`. A mark is made of what the policy does to a few sessions, so that it changes with what the policy does and not with its source. `npm run bench -- page` writes the page again for the present one.\n";

const STALE =
  "**Stale:** history's policy has changed since. What it does now was not measured yet.";

const UNMARKED =
  "**Stale:** measured before results kept the mark of history's policy. What it does now was not measured yet.";

export function readResults(file: string): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Keeps a result, and writes the pages again from all that are kept. */
export function keepResult(
  files: BenchFiles,
  { name, ...section }: Section,
  { policy, ...run }: Required<Pick<Result, "measuredOn" | "machine" | "policy" | "sources">>,
): void {
  const { title, body, verdicts } = section;
  const marked = measuresHistory(name) ? { ...run, policy } : run;
  const results: Results = {
    ...readResults(files.results),
    [name]: { title, ...marked, body, verdicts },
  };
  const ordered = SECTION_NAMES.flatMap((one) => (results[one] ? [[one, results[one]]] : []));
  writeFileSync(files.results, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`);
  writePages(files, policy);
}

/** From what is kept, for this policy: what another one was measured with is marked. */
export function writePages(files: BenchFiles, policy: string): void {
  const results = readResults(files.results);
  writeFileSync(files.document, summaryPage(results, policy));
  writeFileSync(files.details, detailsPage(results, policy));
}

const COLUMNS: readonly Column[] = [
  { title: "benchmark", align: "left" },
  { title: "`npm run bench --`", align: "left" },
  { title: "measured on", align: "left" },
  { title: "targets met", align: "left" },
  { title: "not met", align: "left" },
];

/** The short page, where history's present policy has this mark. */
export function summaryPage(results: Results, policy: string): string {
  const rows = SECTION_NAMES.flatMap((name) => {
    const result = results[name];
    return result ? [summaryRow(name, result, policy)] : [];
  });
  return `${[HEAD, POLICY.replace("MARK", policy), markdownTable(COLUMNS, rows)].join("\n")}\n`;
}

function summaryRow(name: SectionName, result: Result, present: string): readonly string[] {
  const { title, measuredOn, verdicts } = result;
  const missed = verdicts.filter(({ outcome }) => outcome === "not met");
  return [
    title,
    name.replace("-", " "),
    `${measuredOn}${isStale(name, result, present) ? ", stale" : ""}`,
    verdicts.length === 0 ? "" : `${verdicts.length - missed.length} of ${verdicts.length}`,
    missed.map(({ target, measured }) => `${target}: **${measured}**`).join("; "),
  ];
}

function isStale(name: SectionName, { policy }: Result, present: string): boolean {
  return measuresHistory(name) && policy !== present;
}

/** The long page, where history's present policy has this mark. */
export function detailsPage(results: Results, policy: string): string {
  const sections = SECTION_NAMES.flatMap((name) => {
    const result = results[name];
    return result ? [`${markdown(name, result, policy)}\n`] : [];
  });
  return [DETAILS_HEAD, POLICY.replace("MARK", policy), ...sections].join("\n");
}

/** For which policy a page was written; null: it doesn't say. */
export function parsePolicy(page: string): string | null {
  return /^History's policy when this page was written: `(\w+)`/m.exec(page)?.[1] ?? null;
}

export function markdown(name: SectionName, result: Result, present: string): string {
  const { title, measuredOn, machine, body, verdicts, policy } = result;
  const of = policy === undefined ? "" : `, history's policy \`${policy}\``;
  const parts = [
    `## ${title}`,
    `\`npm run bench -- ${name.replace("-", " ")}\` on ${measuredOn}${of}: ${machine}.`,
    ...(isStale(name, result, present) ? [policy === undefined ? UNMARKED : STALE] : []),
    body,
    ...(verdicts.length > 0 ? [verdictTable(verdicts)] : []),
  ];
  return parts.join("\n\n");
}
