// Writes sections into docs/benchmarks.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SECTION_NAMES, type Section, type SectionName, verdictTable } from "./section.ts";

export const DOCUMENT = join(import.meta.dir, "../../../../docs/benchmarks.md");

const HEAD = `# Benchmarks

\`npm run bench\` writes this page; \`npm run bench -- NAME\` writes one section of it. The host is the real OpenCode in a throwaway home; the provider is a mock on the same machine. "Without" and "with" mean without and with the plugin.
`;

/** Puts a section between its markers; the others stay as they are. */
export function writeSection(file: string, section: Section, machine: string): void {
  const text = existsSync(file) ? readFileSync(file, "utf8") : emptyDocument();
  const [begin, end] = markers(section.name);
  const [before, rest] = halves(text, begin);
  const [, after] = halves(rest, end);
  writeFileSync(file, `${before}${begin}\n${markdown(section, machine)}\n${end}${after}`);
}

export function markdown({ name, title, body, verdicts }: Section, machine: string): string {
  const parts = [
    `## ${title}`,
    `\`npm run bench -- ${name.replace("-", " ")}\` on ${machine}.`,
    body,
    ...(verdicts.length > 0 ? [verdictTable(verdicts)] : []),
  ];
  return parts.join("\n\n");
}

function emptyDocument(): string {
  return [HEAD, ...SECTION_NAMES.map((name) => `${markers(name).join("\n")}\n`)].join("\n");
}

function markers(name: SectionName): readonly [string, string] {
  return [`<!-- ${name} -->`, `<!-- /${name} -->`];
}

function halves(text: string, marker: string): readonly [string, string] {
  const at = text.indexOf(marker);
  if (at < 0) throw new Error(`${DOCUMENT} has lost its marker ${marker}`);
  return [text.slice(0, at), text.slice(at + marker.length)];
}
