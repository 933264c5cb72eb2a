// Keeps results in docs/benchmarks.json, and writes docs/benchmarks.md from them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Section, verdictTable } from "./section.ts";
import { SECTION_NAMES, type SectionName } from "./targets.ts";

const DOCS = join(import.meta.dir, "../../../../docs");

export const RESULTS = join(DOCS, "benchmarks.json");
export const DOCUMENT = join(DOCS, "benchmarks.md");

/** What one run of a benchmark came to. */
export interface Result extends Omit<Section, "name"> {
  /** The day, as in 2026-01-31. */
  readonly measuredOn: string;
  readonly machine: string;
}

/** The newest of each benchmark. */
export type Results = Readonly<Partial<Record<SectionName, Result>>>;

const HEAD = `# Benchmarks

\`npm run bench\` writes this page from docs/benchmarks.json, where it keeps its results; \`npm run bench -- NAME\` measures one section again. The host is the real OpenCode in a throwaway home; the provider is a mock on the same machine. "Without" and "with" mean without and with the plugin.
`;

export function readResults(file: string): Results {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

/** Keeps a result, and writes the page again from all that are kept. */
export function keepResult(
  files: { readonly results: string; readonly document: string },
  { name, ...section }: Section,
  run: Pick<Result, "measuredOn" | "machine">,
): void {
  const { title, body, verdicts } = section;
  const results: Results = {
    ...readResults(files.results),
    [name]: { title, ...run, body, verdicts },
  };
  const ordered = SECTION_NAMES.flatMap((one) => (results[one] ? [[one, results[one]]] : []));
  writeFileSync(files.results, `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`);
  writeFileSync(files.document, pageOf(results));
}

/** The whole page. */
export function pageOf(results: Results): string {
  const sections = SECTION_NAMES.flatMap((name) => {
    const result = results[name];
    return result ? [`${markdown(name, result)}\n`] : [];
  });
  return [HEAD, ...sections].join("\n");
}

export function markdown(name: SectionName, result: Result): string {
  const { title, measuredOn, machine, body, verdicts } = result;
  const parts = [
    `## ${title}`,
    `\`npm run bench -- ${name.replace("-", " ")}\` on ${measuredOn}: ${machine}.`,
    body,
    ...(verdicts.length > 0 ? [verdictTable(verdicts)] : []),
  ];
  return parts.join("\n\n");
}
