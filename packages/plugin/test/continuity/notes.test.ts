import { describe, expect, test } from "bun:test";
import { isNothing } from "../../src/continuity/lines.ts";
import { markdownLines } from "../../src/continuity/markdown.ts";
import { parseNotes } from "../../src/continuity/notes.ts";

const notesOf = (text: string) => parseNotes(markdownLines(text));

describe("SESSION.md", () => {
  const FORMS: readonly (readonly [string, string])[] = [
    ["a heading with bullets", "## Open Work\n\n- one\n- two\n"],
    ["a bold label with bullets", "**Open Work:**\n- one\n- two\n"],
    ["a bold label, colon outside", "**Open Work**:\n* one\n* two\n"],
    ["a bold line without colon", "**Open Work**\n\n1. one\n2. two\n"],
    ["a plain label with bullets", "Open work:\n  - one\n  - two\n"],
    ["a bulleted label with bullets below", "- **Open Work:**\n  - one\n  - two\n- else\n"],
    ["open boxes under a heading", "### Open work:\n- [ ] one\n- [ ] two\n- [x] three\n"],
    ["boxes without a heading", "- [ ] one\n* [ ] two\n- [x] three\n"],
    ["a heading in another case and form", "# 2. OPEN WORK (today)\n- one\n- two\n"],
    ["subheadings below a field", "## Remaining\n### API\n- one\n### UI\n- two\n"],
    ["one label for each entry", "TODO: one\nTODO: two\n"],
    ["Windows line ends", "## Open Work\r\n- one\r\n- two\r\n"],
  ];
  for (const [form, text] of FORMS) {
    test(`reads open work from ${form}`, () => {
      expect(notesOf(text).fields.openWork).toEqual(["one", "two"]);
    });
  }

  test("reads a value behind its label, and the lines that it runs on to", () => {
    const notes = notesOf(
      "**Focus:** the\nimporter\n\nUnrelated prose.\n**Next Action:** run it\n",
    );
    expect(notes.fields.focus).toEqual(["the importer"]);
    expect(notes.fields.nextActions).toEqual(["run it"]);
  });

  test("reads every field that the contract names", () => {
    const { fields } = notesOf(
      "Focus: f\nOpen Work: o\nCompleted: c\nDecisions: d\nPending Tests: t\nBlockers: b\nNext Action: n\n",
    );
    expect(fields).toMatchObject({
      focus: ["f"],
      openWork: ["o"],
      completed: ["c"],
      decisions: ["d"],
      pendingTests: ["t"],
      blockers: ["b"],
      nextActions: ["n"],
    });
  });

  test("a decision keeps its reason, and the batch it was taken in", () => {
    const { fields } = notesOf("## Batch 2\n- Decision: use a map\n  - Rationale: order\n");
    expect(fields.decisions).toEqual(["[Batch 2] Decision: use a map — Rationale: order"]);
  });

  test("leaves out code blocks, comments and what is struck through", () => {
    const text = "## Open Work\n```\n- not\n```\n<!-- - nor -->\n- ~~nor this~~\n- one\n";
    expect(notesOf(text).fields.openWork).toEqual(["one"]);
  });

  test("a code block that never ends hides nothing", () => {
    expect(notesOf("```\n## Open Work\n- one\n").fields.openWork).toEqual(["one"]);
  });

  test("of a log the newest part says what is open, whichever way it is sorted", () => {
    const old = "## 2026-01-02\n**Open Work:** old\n**Completed:** first\n";
    const recent = "## 2026-01-03\n**Open Work:** recent\n**Completed:** second\n";
    for (const text of [`${old}\n${recent}`, `${recent}\n${old}`]) {
      const { fields } = notesOf(text);
      expect(fields.openWork).toEqual(["recent"]);
      expect(fields.completed).toEqual(["first", "second"]);
    }
  });
});

describe('L10: "none" in any form is nothing', () => {
  const NONE = [
    "none",
    "None.",
    "**None**",
    "_none_",
    "(none)",
    "N/A",
    "n/a.",
    "-",
    "—",
    "…",
    "nothing yet",
    "None at this time.",
    "none (all resolved)",
    "No blockers.",
    "No known blockers or risks",
    "There are no open questions.",
    "currently none",
    "TBD",
    "✅ none",
    "Blockers: none.",
    "none recorded",
    "0",
  ];
  for (const text of NONE) test(JSON.stringify(text), () => expect(isNothing(text)).toBe(true));

  const SOME = [
    "none of the tests run on Windows",
    "no network in CI",
    "None, but CI is flaky",
    "No credentials",
    "nothing compiles",
    "Decision: no new dependency",
    "No new dependencies",
    "n",
  ];
  for (const text of SOME) {
    test(`${JSON.stringify(text)} is something`, () => expect(isNothing(text)).toBe(false));
  }

  test("wherever a field says so", () => {
    for (const text of ["**Blockers:** none.", "## Blockers\nNone.\n", "## Blockers\n- n/a\n"]) {
      const { fields, stated } = notesOf(text);
      expect(fields.blockers).toEqual([]);
      expect(stated.has("blockers")).toBe(true);
    }
  });
});
