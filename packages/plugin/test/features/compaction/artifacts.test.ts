import { describe, expect, test } from "bun:test";
import { isFinished, parseArtifactState } from "../../../src/features/compaction/recognise.ts";
import type { Artifact } from "../../../src/features/compaction/workflows.ts";

const artifact = (role: Artifact["role"]): Artifact => ({
  ...{ file: "a.md", role, stage: "s", passed: "", inferred: "" },
});
const state = (role: Artifact["role"], text: string) => parseArtifactState(artifact(role), text);

describe("what an artifact says of its approval", () => {
  const rows = [
    ["recorded", "- [x] Approved by Ana"],
    ["draft", "- [ ] Approved by Ana"],
    ["recorded", "Approved: yes"],
    ["recorded", "Approved: 2026-01-02 by Ana"],
    ["draft", "Approved: no"],
    ["draft", "Approved: none"],
    ["recorded", "Approved: Ana had no doubts"],
    ["draft", "Approved:"],
    ["unsaid", "Approved by: Ana"],
    ["unsaid", "Not approved: ask Ana on Monday"],
    ["recorded", "Status: approved"],
    ["recorded", "Document status: accepted"],
    ["recorded", "Signoff: signed off"],
    ["recorded", "Sign-off: approved by Ana"],
    ["recorded", "Sign off: approved"],
    ["draft", "Status: draft"],
    ["draft", "State: not yet approved"],
    ["draft", "Approval: needs review, was approved once"],
    ["unsaid", "Status: under way"],
    ["unsaid", "Reviewer: approved"],
    ["unsaid", "The long status: approved"],
    ["unsaid", "Status page: approved"],
    ["unsaid", "It is approved."],
    ["draft", "Status: approved\n\nStatus: draft"],
  ] as const;
  test.each(rows)("%s: %j", (approval, text) => {
    expect(state("document", text).approval).toBe(approval);
  });
});

describe("an artifact is closed", () => {
  test("where its status says so, in whatever dress", () => {
    for (const text of [
      "Status: done",
      "**Status:** ✅ Closed",
      "# A\n\nstatus: completed today",
    ]) {
      expect(state("document", text).closed).toBe(true);
    }
  });

  test("not by another word, nor by the status of something else", () => {
    for (const text of ["Status: almost done", "My status: done", "Status of it: done", "done"]) {
      expect(state("document", text).closed).toBe(false);
    }
  });

  test("only at its head: further down are the states of its parts", () => {
    const lines = (count: number) => `${"text\n".repeat(count)}Status: done`;
    expect(state("document", lines(39)).closed).toBe(true);
    expect(state("document", lines(40)).closed).toBe(false);
  });
});

test("tasks are boxes, with the batch that they stand under, but for steps of a task and approvals", () => {
  const text = `# Importer
- [ ] one
lazily continued
  - [ ] a step of one
- [ ] ~~taken back~~
- [ ] ---
## Batch 1
- [x] two
- no box
  - [ ] below what has none
- [ ] Approved by Ana
- [ ] ask for approval
## Implementation plan
1. [ ] three
### Phase A
- [ ] four
`;
  expect(state("tasks", text).tasks).toEqual([
    { text: "one", group: null, state: "open" },
    { text: "two", group: "Batch 1", state: "done" },
    { text: "below what has none", group: "Batch 1", state: "open" },
    { text: "ask for approval", group: "Batch 1", state: "open" },
    { text: "three", group: null, state: "open" },
    { text: "four", group: "Phase A", state: "open" },
  ]);
});

test("notes are the lines of a notes artifact that say how far the work is", () => {
  const text = "# Progress\n- the fix is in\n- [ ] not yet\n- [x] tested\nplain\n\nnone\n";
  expect(state("notes", text).notes).toEqual(["the fix is in", "tested", "plain"]);
  expect(state("log", text).notes).toEqual([]);
});

describe("the work is over", () => {
  const ticked = "- [x] one\n- [x] two\n";

  test("where every task is ticked, whatever else there is", () => {
    expect(isFinished([state("tasks", ticked), state("document", "# A\n")])).toBe(true);
    expect(isFinished([state("tasks", `${ticked}- [ ] three\n`)])).toBe(false);
    expect(isFinished([state("tasks", "# none yet\n")])).toBe(false);
    expect(isFinished([state("log", ticked)])).toBe(false);
  });

  test("where one artifact says that it is closed", () => {
    const closed = state("document", "Status: closed");
    expect(isFinished([closed, state("document", "# A\n")])).toBe(true);
    expect(isFinished([state("document", "# A\n")])).toBe(false);
  });
});
