import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import {
  type AllowedWord,
  BANNED,
  type BannedForm,
  faultsIn,
  faultsInComments,
  listBannedIdentifiers,
  parseParagraphs,
  parseStrings,
  ROOT,
  read,
  sourcesBelow,
} from "./words.ts";

const ALLOWED: readonly AllowedWord[] = [
  { text: /,from now on,/g, because: "what people write in prompts" },
  { text: /tell me what it does/g, because: "a made-up user's prompt in a benchmark" },
];

const PAGES: readonly string[] = [
  ...[
    "README.md",
    "ARCHITECTURE.md",
    "AGENTS.md",
    "LAYERS.md",
    "STRUCTURE.md",
    "packages/cli/README.md",
  ],
  ...readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(ROOT, "examples")).map((name) => `examples/${name}/README.md`),
];

const faultsOfPage = (markdown: string, page: string) =>
  parseParagraphs(markdown).flatMap((paragraph) => faultsIn(paragraph, page, ALLOWED));

test.each([...PAGES])("%s is in plain English", (page) => {
  expect(faultsOfPage(read(page), page)).toEqual([]);
});

const RECORDS = readdirSync(join(ROOT, "docs/decisions")).map((name) => `docs/decisions/${name}`);

test("the records of decisions are in plain English", () => {
  // A link's target is a file's name.
  const faults = RECORDS.flatMap((page) =>
    faultsOfPage(read(page).replaceAll(/\]\([^)]*\)/g, "]"), page),
  );
  expect(faults).toEqual([]);
});

test("what is unreleased in CHANGELOG.md is in plain English", () => {
  const [, unreleased = ""] = read("CHANGELOG.md").split(/^## /m);
  expect(unreleased).toStartWith("Unreleased");
  expect(faultsOfPage(unreleased, "CHANGELOG.md")).toEqual([]);
});

test("CONTRIBUTING.md is in plain English, but for the words that it warns of", () => {
  const text = read("CONTRIBUTING.md");
  const [before, glossary, after] = text.split(/^(?=## (?:Words|Other versions))/m);
  expect(glossary).toStartWith("## Words");
  expect(faultsOfPage(`${before}${after}`, "CONTRIBUTING.md")).toEqual([]);
});

describe("texts for people in the source are in plain English", () => {
  const folders = ["packages/plugin/src", "packages/cli/src", "packages/e2e/src", "scripts"];

  test.each(folders)("%s", (folder) => {
    const faults = sourcesBelow(folder).flatMap((path) =>
      parseStrings(read(path))
        .filter((sentence) => !/\b(?:SELECT|INSERT|CREATE|UPDATE|DELETE|JOIN|FROM) /.test(sentence))
        .flatMap((sentence) => faultsIn(sentence, path, ALLOWED)),
    );
    expect(faults).toEqual([]);
  });
});

describe("comments in the source are in plain English", () => {
  const folders = ["packages/plugin/src", "packages/cli/src", "packages/e2e/src", "scripts"];

  test.each(folders)("%s", (folder) => {
    const faults = sourcesBelow(folder).flatMap((path) => faultsInComments(read(path), path));
    expect(faults).toEqual([]);
  });
});

interface IdentifierBound {
  readonly form: BannedForm;
  /** This may only fall. */
  readonly atMost: number;
  readonly because: string;
}

const IDENTIFIERS: readonly IdentifierBound[] = [
  { form: "a function named …Of", atMost: 1, because: "`inboxOf` is a public name" },
  { form: "MOST_ or LEAST_", atMost: 0, because: "constants are MAX_ and MIN_" },
  { form: "told, behind or anew", atMost: 0, because: "the glossary has the words instead" },
  {
    form: "room, house, desk, door or shelf",
    atMost: 0,
    because: "features and their context; space is named by its unit, as in `maxWidth`",
  },
];

test.each([...IDENTIFIERS])("identifiers: $form, $atMost times ($because)", (bound) => {
  const found = ["plugin", "pi", "cli"].flatMap((name) =>
    sourcesBelow(`packages/${name}/src`).flatMap((path) =>
      listBannedIdentifiers(read(path), bound.form).map((one) => `${path}: ${one}`),
    ),
  );
  expect(found.length <= bound.atMost ? [] : found).toEqual([]);
  // A count that has fallen is written down, so that it does not rise again.
  expect(found.length).toBe(bound.atMost);
});

test("identifiers are read from code, not from strings and comments", () => {
  const source =
    'function stateOf() {} // MOST_X\nconst MOST_Y = "told"; const toldAt = shelf; const P = /\\b"?told/;';
  const found = (["a function named …Of", "MOST_ or LEAST_"] as const).flatMap((form) =>
    listBannedIdentifiers(source, form),
  );
  expect(found).toEqual(["stateOf", "MOST_Y"]);
  expect(listBannedIdentifiers(source, "told, behind or anew")).toEqual(["toldAt"]);
});

test("the glossary has at most thirty rows", () => {
  const [, words = ""] = read("CONTRIBUTING.md").split("## Words");
  const rows = (words.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  expect(rows.length - 2).toBeLessThanOrEqual(30);
});

test("a comment's turns are found, its names in backquotes are not", () => {
  const source = "// is told anew\n * sent behind it\n/** `told` of `behind` */\nconst told = 1;";
  expect(faultsInComments(source, "a.ts")).toHaveLength(3);
});

test.each([
  ["is no typing mistake", "is not a …"],
  ["Install the plugin anew", "again, or the verb with re-"],
  ["sent behind the Baseline", "after"],
  ["The model is told so", "announced, sent, recorded, says, reports"],
  ["report it if it stays", "if the problem persists"],
  ["Kept are sessions that are open", "the usual order: … is kept"],
  ["Nothing was changed. Of a clone, run it first", "the usual order: the subject first"],
])("%p is found", (text, instead) => {
  expect(faultsIn(text, "page", [])).toHaveLength(1);
  expect(faultsIn(text, "page", [])[0]).toContain(`write "${instead}"`);
});

test("plain English is not found fault with, nor are code, comments and allowed texts", () => {
  const plain = "It is no longer there, and there is no file: fix it and restart OpenCode.";
  expect(faultsIn(plain, "page", [])).toEqual([]);
  expect(parseParagraphs("a\n```\ntold anew\n```\nb `told` c")).toEqual(["a", "b … c"]);
  expect(parseStrings('// told anew\nconst a = "is told"; /* behind */ f(`is it anew`);')).toEqual([
    "is told",
    "is it anew",
  ]);
  expect(faultsIn("is told", "page", [{ text: /told/g, because: "a test" }])).toEqual([]);
  expect(BANNED.length).toBeGreaterThan(10);
});
