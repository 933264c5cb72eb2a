import { describe, expect, test } from "bun:test";
import { fromMarkdown, toMarkdown } from "../../../src/features/memory/markdown.ts";
import type { Memory } from "../../../src/features/memory/record.ts";
import type { Note } from "../../../src/features/memory/schema.ts";
import { deriveRef } from "../../../src/ledger/ref.ts";

const WRITTEN_MS = Date.parse("2026-03-04T05:06:07.000Z");
const ref = deriveRef("m", "a");

const memory = (change: Partial<Memory> = {}) =>
  ({
    ...{ ref, category: "NAMING", text: "A fact.", importance: 50, permanence: "ordinary" },
    ...{ by: "model", source: "session", state: { kind: "active" }, writtenAtMs: WRITTEN_MS },
    ...change,
  }) as Memory;

const read = (...lines: readonly string[]) =>
  fromMarkdown(lines.join("\n"), { importance: 1, by: "import" });
const readTexts = (...lines: readonly string[]) =>
  read(...lines).map((one) => (one.kind === "note" ? `note: ${one.text}` : one.wording.text));
const one = (line: string) => {
  const [first] = read("## NAMING", line);
  if (first?.kind !== "memory") throw new Error("no memory");
  return first;
};

describe("a file of memories", () => {
  test("has each under its category, candidates and archived ones apart, and open notes last", () => {
    const text = toMarkdown(
      "my\nshop",
      [
        memory(),
        memory({ category: "PROJECT_RULES", permanence: "permanent", text: "A rule." }),
        memory({ state: { kind: "candidate" }, text: "Perhaps." }),
        memory({ state: { kind: "archived" }, text: "Once." }),
        memory({ state: { kind: "superseded", by: "b" as never }, text: "Former." }),
      ],
      [{ text: "Look." } as Note],
    );
    const [title, , ...rest] = text.split("\n");
    expect(title).toBe("# Memories of my shop");
    const comment = (kept = "") =>
      `<!-- ${ref} importance=50${kept} by=model source=session written=2026-03-04T05:06:07.000Z -->`;
    expect(rest.slice(3)).toEqual([
      ...["", "## PROJECT_RULES", "", `- A rule. ${comment(" permanent")}`, ""],
      ...["## NAMING", "", `- A fact. ${comment()}`, ""],
      ...["## Candidates", "", "### NAMING", "", `- Perhaps. ${comment()}`, ""],
      ...["## Archived", "", "### NAMING", "", `- Once. ${comment()}`, ""],
      ...["## Notes", "", "- Look.", ""],
    ]);
    expect(toMarkdown("x", [memory()], [])).not.toMatch(/## (?:Notes|Archived|Candidates)/);
  });
});

describe("reading one", () => {
  test("takes items below headings of its own, and passes over everything else", () => {
    expect(
      readTexts(
        ...["# Title", "- before", "## NAMING", "words", "- a", "*   b  ", "+ c", "-d", "  - e"],
        ...["- ", "1. f", "#NAMING", "####### g", "## Other", "- h", "### NAMING", "- i"],
        ...["## Notes", "- j", "* ", "## ARCHITECTURE  ", "- k\r"],
      ),
    ).toEqual(["a", "b", "c", "i", "note: j", "k"]);
    expect(read("- x")).toEqual([]);
  });

  test("a heading of the second level says whether what follows stands", () => {
    const lines = [
      "## NAMING",
      "- a",
      "## Archived",
      "### NAMING",
      "- b",
      "### CONSTRAINTS",
      "- c",
    ];
    const more = ["## Candidates", "### NAMING", "- d", "## NAMING", "- e"];
    const states = read(...lines, ...more).map((each) => each.kind === "memory" && each.state);
    expect(states).toEqual(["active", "archived", "archived", "candidate", "active"]);
  });

  test("what a line's comment says is taken, in any order after the ref; what it leaves out is usual", () => {
    expect(one("- A fact.")).toEqual({
      ...{ kind: "memory", ref: null, state: "active", by: "import", source: "user" },
      wording: { category: "NAMING", text: "A fact.", importance: 1, permanence: "ordinary" },
      writtenAtMs: null,
    });
    const whole = one(
      `- A fact. <!-- ${ref} written=2026-03-04T05:06:07.000Z permanent by=historian source=tool importance=7 -->`,
    );
    expect(whole).toEqual({
      ...{ kind: "memory", ref, state: "active", by: "historian", source: "tool" },
      wording: { category: "NAMING", text: "A fact.", importance: 7, permanence: "permanent" },
      writtenAtMs: WRITTEN_MS,
    });
    expect(one("- A fact. <!-- permanent -->")).toMatchObject({
      ...{ ref: null, wording: { permanence: "permanent", text: "A fact." } },
    });
    expect(one("- A fact.<!--importance=7-->").wording).toMatchObject({ importance: 7 });
    expect(one("- A fact. <!-- by=model -->")).toMatchObject({ by: "model", source: "session" });
  });

  test("a value that can't be is left out, and a comment of others' is part of the text", () => {
    for (const wrong of ["101", "-1", "x", ""]) {
      expect(one(`- A. <!-- importance=${wrong || "none"} -->`).wording.importance).toBe(1);
    }
    expect(one("- A. <!-- importance=0 -->").wording.importance).toBe(0);
    expect(one("- A. <!-- importance=100 -->").wording.importance).toBe(100);
    expect(one("- A. <!-- importance=49.6 -->").wording.importance).toBe(50);
    expect(one("- A. <!-- by=me source=air written=noon -->")).toMatchObject({
      ...{ by: "import", source: "user", writtenAtMs: null },
    });
    for (const text of [
      "A. <!-- TODO: check -->",
      "A. <!-- importance=1 --> b",
      "A. <!-- m:short -->",
    ]) {
      expect(one(`- ${text}`).wording.text).toBe(text);
    }
  });
});
