import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, read, sourcesBelow } from "./words.ts";

// The records of decisions, and their index: what is named is there, and what is there is named.
const FOLDER = "docs/decisions";
const RECORDS = readdirSync(join(ROOT, FOLDER))
  .filter((name) => /^\d{4}-.*\.md$/.test(name))
  .sort();
const NUMBERS = RECORDS.map((name) => name.slice(0, 4));
const INDEX = read(`${FOLDER}/README.md`);

/** A part of the index, by its heading. */
function part(heading: string): string {
  const [, text = ""] = INDEX.split(`\n## ${heading}\n`);
  return text.split("\n## ")[0] ?? "";
}

const linked = (text: string) =>
  [...text.matchAll(/\]\((\d{4}-[^)]+\.md)\)/g)].map(([, name = ""]) => name);

describe("the index of decisions", () => {
  test("has each record once, under its subject, with a line on it", () => {
    const lines = part("By subject")
      .split("\n")
      .filter((line) => line.startsWith("- "));
    expect(lines.flatMap(linked).toSorted()).toEqual(RECORDS);
    const without = lines.filter((line) => !/^- \[(\d{4})\]\(\1-[^)]+\.md\) \S/.test(line));
    expect(without).toEqual([]);
  });

  test("names ten to read first", () => {
    const first = linked(part("The ten to read first"));
    expect(new Set(first).size).toBe(10);
    expect(first.filter((name) => !RECORDS.includes(name))).toEqual([]);
  });

  test("leads to a page that says of numbers that are gone which record has them, and of no other", () => {
    const lines = read("docs/lab/decision-numbers.md").matchAll(
      /^- ([\d, ]+) (?:is|are) in (\d{4})$/gm,
    );
    const gone = [...lines].flatMap(([, olds = "", kept = ""]) =>
      olds.split(", ").map((old) => ({ old, kept })),
    );
    expect(gone.length).toBeGreaterThan(50);
    const wrong = gone.filter(({ old, kept }) => NUMBERS.includes(old) || !NUMBERS.includes(kept));
    expect(wrong).toEqual([]);
  });
});

test("each number has one record", () => {
  expect(new Set(NUMBERS).size).toBe(NUMBERS.length);
  const untitled = RECORDS.filter(
    (name) => !new RegExp(`^# ${name.slice(0, 4)}:? \\S`).test(read(`${FOLDER}/${name}`)),
  );
  expect(untitled).toEqual([]);
});

test("records are at most forty, and none says that another has overtaken it", () => {
  expect(RECORDS.length).toBeLessThanOrEqual(40);
  expect(RECORDS.filter((name) => isOvertaken(read(`${FOLDER}/${name}`)))).toEqual([]);
});

function isOvertaken(text: string): boolean {
  return /^(?:in part )?(?:overtaken|superseded|replaced) by \[/im.test(text);
}

test("a title says the decision in words", () => {
  const titles = RECORDS.map((name) => read(`${FOLDER}/${name}`).split("\n")[0] ?? "");
  expect(titles.filter((title) => !/^# \d{4}:? [A-Z]\S*(?: \S+){2,}$/.test(title))).toEqual([]);
});

test("links of records lead to records or to pages", () => {
  const dead = [...RECORDS, "README.md"].flatMap((name) =>
    [...read(`${FOLDER}/${name}`).matchAll(/\]\(([^)#:]+\.md)[^)]*\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(join(ROOT, FOLDER, target)))
      .map((target) => `${name}: ${target}`),
  );
  expect(dead).toEqual([]);
});

test("each decision that code or a document names by its number is a record", () => {
  const documents = ["README.md", "ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"];
  const pages = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
  const paths = [
    ...documents,
    ...pages.map((name) => `docs/${name}`),
    "docs/lab/requirements.md",
    ...["packages/plugin", "packages/cli", "packages/e2e"].flatMap((folder) =>
      ["src", "test"].flatMap((half) => sourcesBelow(`${folder}/${half}`)),
    ),
  ];
  const named = paths.flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/\bdecisions?[ (]+(\d{4}[\d, and]*)/gi)]
      .flatMap(([, numbers = ""]) => numbers.match(/\d{4}/g) ?? [])
      .map((number) => ({ path, number })),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter(({ number }) => !NUMBERS.includes(number))).toEqual([]);
});

test("each dependency is named by docs/lab/dependencies.md, by itself or with its scope", () => {
  const table = read("docs/lab/dependencies.md");
  const manifests = ["package.json"].concat(
    ["plugin", "cli", "e2e"].map((name) => `packages/${name}/package.json`),
  );
  const dependencies = manifests.flatMap((path) => {
    const manifest = JSON.parse(read(path));
    return ["dependencies", "devDependencies", "peerDependencies"].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    );
  });
  expect(dependencies).toContain("zod");
  const isNamed = (name: string) =>
    [name, name.replace(/\/.*/, "/*")].some((one) => table.includes(`\`${one}\``));
  const own = (name: string) => name.startsWith("@session-runtime/");
  expect(dependencies.filter((name) => !own(name) && !isNamed(name))).toEqual([]);
});
