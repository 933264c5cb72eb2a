// Scores, tables and the report.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brief, draftRecords, writeJson } from "./accepted.mjs";
import { isWithin } from "./sources.mjs";

/** How many of these mutants the tests notice; those that can't be noticed don't count. */
export function computeScore(mutants) {
  const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
  const equivalent = mutants.filter(isEquivalent).length;
  const invalid = count("doesn't compile");
  const total = mutants.length - equivalent - invalid;
  const noticed = count("killed", "timed out");
  return {
    mutants: total,
    killed: count("killed"),
    timedOut: count("timed out"),
    survived:
      count("survived") -
      mutants.filter((one) => isEquivalent(one) && one.status === "survived").length,
    noTest:
      count("no test") -
      mutants.filter((one) => isEquivalent(one) && one.status === "no test").length,
    invalid,
    equivalent,
    percent: total === 0 ? 100 : (noticed / total) * 100,
  };
}

function isEquivalent({ status, record }) {
  return record?.verdict === "equivalent" && isUnnoticed({ status });
}

function isUnnoticed({ status }) {
  return status === "survived" || status === "no test";
}

/** What nobody has looked at yet, or what was looked at too. */
export function survivors(mutants, which) {
  return mutants.filter(
    (mutant) => isUnnoticed(mutant) && (which === "all" || mutant.record === null),
  );
}

/** A row for each entry that has a bar and is among the files, then one for each other folder. */
export function rowsByFolder(mutants, bars) {
  const entries = Object.keys(bars);
  const findAcceptedEntry = ({ file }) =>
    entries.find((entry) => isWithin(entry, file)) ?? `${file.split("/").slice(0, -1).join("/")}/`;
  return grouped(mutants, findAcceptedEntry).map(([name, group]) => {
    return { name, bar: bars[name] ?? null, ...computeScore(group) };
  });
}

export function rowsByFile(mutants) {
  return grouped(mutants, ({ file }) => file).map(([name, group]) => {
    return { name, bar: null, ...computeScore(group) };
  });
}

function grouped(items, toKey) {
  const groups = new Map();
  for (const item of items) groups.set(toKey(item), [...(groups.get(toKey(item)) ?? []), item]);
  return [...groups];
}

/** Rounded down: 94.99 is not 95. */
const percentText = (percent) => (Math.floor(percent * 10) / 10).toFixed(1);

export function table(rows) {
  const cells = [
    [
      "",
      "mutants",
      "killed",
      "timed out",
      "survived",
      "no test",
      "not compiling",
      "equivalent",
      "score",
      "bar",
    ],
    ...rows.map((row) => [
      row.name,
      row.mutants,
      row.killed,
      row.timedOut,
      row.survived,
      row.noTest,
      row.invalid,
      row.equivalent,
      percentText(row.percent),
      row.bar ?? "",
    ]),
  ].map((row) => row.map(String));
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const line = (row) =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(" | ")} |`;
  const rule = `|${widths.map((width, at) => (at === 0 ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join("\n");
}

/** A survivor as a small diff. */
export function renderDiff({ place, mutator, status, original, replacement, record }) {
  const note = record === null ? "" : ` (${record.verdict}: ${record.reason})`;
  return `${place} ${mutator}, ${status}${note}\n  - ${brief(original)}\n  + ${brief(replacement)}`;
}

/** Writes `report.md`, `report.json`, and drafts of records for the survivors that have none. */
export function writeReport(folder, { mutants, bars, stale, tookMs }) {
  mkdirSync(folder, { recursive: true });
  const sections = [
    "# Mutation report",
    `${mutants.length} mutants in ${Math.round(tookMs / 1000)} s.`,
    "## By folder",
    table(rowsByFolder(mutants, bars)),
    "## By file",
    table(rowsByFile(mutants)),
    "## Survivors without a record",
    fenced(survivors(mutants, "new").map(renderDiff)),
    "## Survivors with a record",
    fenced(
      survivors(mutants, "all")
        .filter(({ record }) => record !== null)
        .map(renderDiff),
    ),
    "## Stale records",
    fenced(stale.map(({ file, code }) => `${file}: ${code}`)),
  ];
  writeFileSync(join(folder, "report.md"), `${sections.join("\n\n")}\n`);
  const lean = mutants.map(({ range: _, output: __, ...mutant }) => mutant);
  writeJson(join(folder, "report.json"), { mutants: lean });
  writeJson(join(folder, "drafts.json"), draftRecords(survivors(mutants, "new")));
}

function fenced(texts) {
  return texts.length === 0 ? "None." : `\`\`\`\n${texts.join("\n\n")}\n\`\`\``;
}
