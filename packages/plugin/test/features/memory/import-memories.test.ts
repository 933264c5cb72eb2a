import { beforeEach, describe, expect, test } from "bun:test";
import { fromMarkdown } from "../../../src/features/memory/markdown.ts";
import { importMemories } from "../../../src/features/memory/memory-file.ts";
import type { Memory } from "../../../src/features/memory/record.ts";
import {
  createSqliteMemoryStore,
  type MemoryStore,
} from "../../../src/features/memory/sqlite-store.ts";
import { openBunDriver } from "../../../src/storage/driver-bun.ts";
import { Workspace } from "../../storage/workspace.ts";
import { added, changed, entered, projectAt, wording } from "./store.suite.ts";

const workspace = new Workspace();
const shop = projectAt("shop");
const NOW = 1_000;

let store: MemoryStore;
let fact: Memory;

beforeEach(async () => {
  const path = workspace.path();
  workspace.open(path);
  store = await entered(createSqliteMemoryStore(openBunDriver(path)), shop);
  fact = await added(store, shop, wording("The port is 1.", { category: "NAMING" }));
});

const bring = (...lines: readonly string[]) =>
  importMemories(
    store,
    shop,
    fromMarkdown(lines.join("\n"), { importance: 70, by: "import" }),
    NOW,
  );

const line = (text: string, words: string) => `- ${text} <!-- ${fact.ref} ${words} -->`;

/** What the project holds, but for former wordings. */
async function known(): Promise<readonly string[]> {
  const all = await store.list(shop.id);
  const standing = all.filter(({ state }) => state.kind !== "superseded");
  return standing
    .map(({ text, category, importance, permanence, state, by }) =>
      [text, category, importance, permanence, state.kind, by].join(", "),
    )
    .toSorted();
}

const before = "The port is 1., NAMING, 50, ordinary, active, model";

describe("a line of a file with the ref of a memory", () => {
  test("changes nothing where it says what is known", async () => {
    const same = line("The port is 1.", "importance=50");
    expect(await bring("## NAMING", same)).toMatchObject({ added: 0, changed: 0, unchanged: 1 });
    expect(await known()).toEqual([before]);
  });

  test.each([
    [
      "another text",
      "## NAMING",
      "The port is 2.",
      "importance=50",
      "The port is 2., NAMING, 50, ordinary, active, import",
    ],
    [
      "another category",
      "## CONSTRAINTS",
      "The port is 1.",
      "importance=50",
      "The port is 1., CONSTRAINTS, 50, ordinary, active, import",
    ],
    [
      "another importance",
      "## NAMING",
      "The port is 1.",
      "importance=90",
      "The port is 1., NAMING, 90, ordinary, active, import",
    ],
    [
      "permanence",
      "## NAMING",
      "The port is 1.",
      "permanent importance=50",
      "The port is 1., NAMING, 50, permanent, active, import",
    ],
    [
      "its place below Archived",
      "## Archived\n### NAMING",
      "The port is 1.",
      "importance=50",
      "The port is 1., NAMING, 50, ordinary, archived, model",
    ],
  ] as const)("changes %s", async (_, heading, text, words, after) => {
    expect(await bring(heading, line(text, words))).toMatchObject({ changed: 1, added: 0 });
    expect(await known()).toEqual([after]);
  });

  test("restores what was archived, and leaves what was confirmed confirmed", async () => {
    await changed(store, shop, { kind: "archive", id: fact.id });
    expect(await bring("## NAMING", line("The port is 1.", "importance=50"))).toMatchObject({
      changed: 1,
    });
    expect(await known()).toEqual([before]);
    const below = ["## Candidates", "### NAMING", line("The port is 1.", "importance=50")];
    expect(await bring(...below)).toMatchObject({ unchanged: 1 });
    expect(await known()).toEqual([before]);
  });
});

describe("a line without a known ref", () => {
  test("is added as it is: active, archived, or a candidate; a model's is less important", async () => {
    const counts = await bring(
      ...[
        "## NAMING",
        "- A rule. <!-- importance=90 -->",
        "- A model's. <!-- importance=90 by=model -->",
      ],
      ...["## Archived", "### NAMING", "- Once."],
      ...[
        "## Candidates",
        "### NAMING",
        "- Perhaps. <!-- by=historian source=tool importance=30 -->",
      ],
    );
    expect(counts).toEqual({ added: 4, changed: 0, unchanged: 0, notes: 0, refused: [] });
    expect(await known()).toEqual([
      "A model's., NAMING, 60, ordinary, active, model",
      "A rule., NAMING, 90, ordinary, active, import",
      "Once., NAMING, 70, ordinary, archived, import",
      "Perhaps., NAMING, 30, ordinary, candidate, historian",
      before,
    ]);
    const written = (await store.list(shop.id)).find(({ text }) => text === "A rule.");
    expect(written?.writtenAtMs).toBe(NOW);
  });

  test("is one that is known by its words, archived or not; a former wording is none", async () => {
    expect(await bring("## CONSTRAINTS", "- The port is 1.")).toMatchObject({ unchanged: 1 });
    await changed(store, shop, { kind: "edit", id: fact.id, wording: { text: "The port is 2." } });
    expect(await bring("## NAMING", "- The port is 1.")).toMatchObject({ added: 1 });
    await changed(store, shop, { kind: "archive", id: fact.id });
    expect(await bring("## NAMING", "- The port is 2.")).toMatchObject({ unchanged: 1 });
  });
});

test("notes are added once, and a line that is refused costs no other; a secret is not repeated", async () => {
  const notes = ["## Notes", "- Look.", `- ${"n".repeat(1_001)}`, "- password: hunter2hunter2"];
  const counts = await bring("## NAMING", `- ${"m".repeat(601)}`, "- A rule.", ...notes);
  expect(counts).toMatchObject({ added: 1, notes: 1 });
  expect(counts.refused.map((reason) => reason.slice(0, 66))).toEqual([
    `"${"m".repeat(60)}": No`,
    `"${"n".repeat(60)}": No`,
    '"…": Nothing was stored: the text holds what looks like a password',
  ]);
  expect(await bring("## Notes", "- Look.")).toMatchObject({ notes: 0 });
});
