import { describe, expect, test } from "bun:test";
import { gatherRuntimeFacts } from "../../../src/features/compaction/runtime-facts.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { answer, prompt, ran } from "./history.ts";
import { formFaults } from "./well-formed.ts";
import { buildBrief, field, writeFiles } from "./workspace.ts";
import { refactor } from "./workspaces.ts";

const folder = scratchFolders();

/** Ten requests, each answered after an edit and a command of its own. */
const tenPrompts = Array.from({ length: 10 }, (_, index) => [
  prompt(`u${index}`, `Request ${index}`),
  answer(
    `u${index}`,
    "tool-calls",
    ran("edit", { filePath: `/p/file-${index}.ts` }),
    ran("bash", { command: `test ${index}` }, 0),
  ),
  answer(`u${index}`, "stop"),
]).flat();

const buildBriefFrom = (messages: Parameters<typeof gatherRuntimeFacts>[0]) =>
  buildBrief(folder(), { facts: gatherRuntimeFacts(messages, "/p") });

describe("D12: a session without SESSION.md and without a workflow", () => {
  test("after ten prompts the newest request and what was done since are the objective", async () => {
    const brief = await buildBriefFrom(tenPrompts);
    expect(field(brief, "Primary Objective")).toEqual([
      "The user's request: “Request 9”",
      "Done since: edited file-9.ts; ran `test 9`.",
    ]);
    expect(field(brief, "Status")).toEqual(["The user's newest request is answered."]);
  });

  test("the request that is worked on is the newest, and a prompt that waits is not", async () => {
    const brief = await buildBriefFrom([
      ...tenPrompts,
      prompt("u10", "Worked on"),
      answer("u10", "tool-calls", ran("read", { filePath: "/p/a.ts" })),
      prompt("u11", "Waiting"),
    ]);
    expect(field(brief, "Primary Objective")).toEqual([
      "The user's request: “Worked on”",
      "Done since: read a.ts.",
    ]);
    expect(field(brief, "Remaining")).toEqual(["Queued prompt: “Waiting”"]);
    expect(field(brief, "Status")).toEqual(["Active — a request of the user is not answered yet."]);
  });

  test("of much that was done since the newest is listed, and the rest counted", async () => {
    const parts = Array.from({ length: 9 }, (_, index) =>
      ran("edit", { filePath: `/p/${index}.ts` }),
    );
    const brief = await buildBriefFrom([prompt("u", "Go"), answer("u", "stop", ...parts)]);
    expect(field(brief, "Primary Objective")?.[1]).toBe(
      "Done since: edited 8.ts, 7.ts, 6.ts, 5.ts, 4.ts, 3.ts and 3 more.",
    );
  });

  test("nothing is said of what was done where nothing was", async () => {
    const brief = await buildBriefFrom([prompt("u", "Go")]);
    expect(field(brief, "Primary Objective")).toEqual(["The user's request: “Go”"]);
  });

  test("fields of which nothing is known are left out of what is sent", async () => {
    const { text } = await buildBriefFrom(tenPrompts);
    expect(text).not.toContain("none recorded");
    expect(text.match(/^## .*$/gm)).toEqual([
      "## Stage-Aware Continuation",
      "## Primary Objective",
      "## Status",
      "## Active Files",
    ]);
    expect(formFaults(text)).toEqual([]);
  });

  test("the brief is called authoritative only where files that people keep are its source", async () => {
    const { text } = await buildBriefFrom(tenPrompts);
    expect(text).not.toContain("authoritative");
    expect(text).toContain("Where the conversation says otherwise, the conversation is right.");
    const facts = gatherRuntimeFacts(tenPrompts, "/p");
    const kept = await buildBrief(writeFiles(folder(), refactor), { facts });
    expect(kept.text).toContain("authoritative");
    expect(kept.text).not.toContain("Request 9");
    const prose = await buildBrief(writeFiles(folder(), { "SESSION.md": "Some prose.\n" }), {
      facts,
    });
    expect(prose.text).not.toContain("authoritative");
  });
});
