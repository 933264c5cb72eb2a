import { describe, expect, test } from "bun:test";
import { statesNothing } from "../../../src/features/compaction/lines.ts";
import { parseMarkdownLines } from "../../../src/features/compaction/markdown.ts";
import { parseNotes } from "../../../src/features/compaction/notes.ts";

const parseNotesText = (text: string) => parseNotes(parseMarkdownLines(text));

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
      expect(parseNotesText(text).fields.openWork).toEqual(["one", "two"]);
    });
  }

  test("reads a value behind its label, and the lines that it runs on to", () => {
    const notes = parseNotesText(
      "**Focus:** the\nimporter\n\nUnrelated prose.\n**Next Action:** run it\n",
    );
    expect(notes.fields.focus).toEqual(["the importer"]);
    expect(notes.fields.nextActions).toEqual(["run it"]);
  });

  test("reads every field that the contract names", () => {
    const { fields } = parseNotesText(
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
    const { fields } = parseNotesText("## Batch 2\n- Decision: use a map\n  - Rationale: order\n");
    expect(fields.decisions).toEqual(["[Batch 2] Decision: use a map — Rationale: order"]);
  });

  test("leaves out code blocks, comments and what is struck through", () => {
    const text = "## Open Work\n```\n- not\n```\n<!-- - nor -->\n- ~~nor this~~\n- one\n";
    expect(parseNotesText(text).fields.openWork).toEqual(["one"]);
  });

  test("a code block that never ends hides nothing", () => {
    expect(parseNotesText("```\n## Open Work\n- one\n").fields.openWork).toEqual(["one"]);
  });

  test("of a log the newest part says what is open, whichever way it is sorted", () => {
    const old = "## 2026-01-02\n**Open Work:** old\n**Completed:** first\n";
    const recent = "## 2026-01-03\n**Open Work:** recent\n**Completed:** second\n";
    for (const text of [`${old}\n${recent}`, `${recent}\n${old}`]) {
      const { fields } = parseNotesText(text);
      expect(fields.openWork).toEqual(["recent"]);
      expect(fields.completed).toEqual(["first", "second"]);
    }
  });
});

describe("fields of notes", () => {
  const rows: readonly (readonly [string, string, Readonly<Record<string, readonly string[]>>])[] =
    [
      ["a name in dashes, with wide gaps", "## — Open  Work — —\n- a", { openWork: ["a"] }],
      [
        "a date in an entry",
        "## Open Work\n- ship by 2026-01-02\n- b",
        {
          openWork: ["ship by 2026-01-02", "b"],
        },
      ],
      ["two parts of one day", "## 2026-01-02\nNow: x\n## 2026-01-02\nNow: y", { step: ["y"] }],
      [
        "days in no order: the last part's first and last date say how it is sorted",
        "## 2026-01-02\nNow: x\n## 2026-01-01\nNow: y\n## 2026-01-03\nNow: z",
        { step: ["z"] },
      ],
      [
        "a field's heading below another's",
        "## Open Work\n- a\n### Decisions\n- d",
        {
          openWork: ["a"],
          decisions: ["d"],
        },
      ],
      ["a heading beside a field's", "## Open Work\n- a\n## Other\n- b", { openWork: ["a"] }],
      [
        "a heading below one without meaning",
        "# Foo\n- Risk: one\n## Bar\nprose",
        {
          blockers: ["Risk: one"],
        },
      ],
      ["a heading with its value", "## Open Work: a", { openWork: ["a"] }],
      [
        "a box whose text looks like a label",
        "- [ ] Next: ship it",
        { openWork: ["Next: ship it"] },
      ],
      [
        "a name that is indented",
        "## Open Work\n- a\n\n  Decisions\n",
        {
          openWork: ["a", "Decisions"],
        },
      ],
      ["text right below a label", "**Open Work:**\nfinish it", { openWork: ["finish it"] }],
      ["text below a heading", "## Open Work\n\nfinish it", { openWork: ["finish it"] }],
      ["what stands below a decision", "- Decision: a\n  - b", { decisions: ["Decision: a"] }],
      ["a decision without words", "Decision:\n", { decisions: [] }],
      [
        "a reason below a decision",
        "## Decisions\n- a\n  - Rationale: r",
        {
          decisions: ["a — Rationale: r"],
        },
      ],
      [
        "a reason beside a decision",
        "## Decisions\n- a\n- Rationale: r",
        {
          decisions: ["a", "Rationale: r"],
        },
      ],
      ["a reason of nothing", "## Decisions\n- Rationale: r", { decisions: ["Rationale: r"] }],
      [
        "what is no reason by its name",
        "## Decisions\n- a\n  - Main reason: r\n  - Reason two: s",
        {
          decisions: ["a", "Main reason: r", "Reason two: s"],
        },
      ],
      ["a title with a batch in it", "## The batch\n- Decision: a", { decisions: ["Decision: a"] }],
      ["a label again", "**Open Work:** a\n**Open Work:**\nb", { openWork: ["a", "b"] }],
      ["boxes of decisions", "## Decisions\n- [x] a\n- [ ] b", { decisions: ["a", "b"] }],
      [
        "open boxes of what is completed",
        "## Completed\n- [x] a\n- [ ] b",
        {
          completed: ["a"],
          openWork: ["b"],
        },
      ],
      ["boxes of a status", "## Status\n- [ ] a\n- [x] b", { openWork: ["a"], completed: ["b"] }],
      ["boxes of questions", "## Questions\n- [ ] a\n- [x] b", { questions: ["a"] }],
    ];
  test.each(rows)("%s", (_what, text, expected) => {
    const { fields, stated } = parseNotesText(text);
    const said = Object.entries(fields).filter(([field]) => stated.has(field as never));
    const filled = said.filter(([field, entries]) => entries.length > 0 || field in expected);
    expect(Object.fromEntries(filled)).toEqual(expected);
  });

  test("have at most 400 entries each, the last ones", () => {
    const bullets = Array.from({ length: 401 }, (_, index) => `- entry ${index}`).join("\n");
    const { openWork } = parseNotesText(`## Open Work\n${bullets}`).fields;
    expect([openWork.length, openWork[0]]).toEqual([400, "entry 1"]);
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
  for (const text of NONE) test(JSON.stringify(text), () => expect(statesNothing(text)).toBe(true));

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
    test(`${JSON.stringify(text)} is something`, () => expect(statesNothing(text)).toBe(false));
  }

  test("wherever a field says so", () => {
    for (const text of ["**Blockers:** none.", "## Blockers\nNone.\n", "## Blockers\n- n/a\n"]) {
      const { fields, stated } = parseNotesText(text);
      expect(fields.blockers).toEqual([]);
      expect(stated.has("blockers")).toBe(true);
    }
  });
});
