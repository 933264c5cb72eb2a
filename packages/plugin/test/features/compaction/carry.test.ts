import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { gatherRuntimeFacts } from "../../../src/features/compaction/runtime-facts.ts";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { prompt } from "./history.ts";
import { buildBrief, field, writeFiles } from "./workspace.ts";
import { refactor } from "./workspaces.ts";

const folder = scratchFolders();

test("objective and decisions go on where the files are gone", async () => {
  const directory = writeFiles(folder(), refactor);
  const first = await buildBrief(directory);
  rmSync(join(directory, "SESSION.md"));
  const second = await buildBrief(directory, { carried: first.brief.carried });
  const third = await buildBrief(directory, { carried: second.brief.carried });
  for (const heading of ["Primary Objective", "Decisions"] as const) {
    expect(field(second, heading)).toEqual(field(first, heading));
    expect(field(third, heading)).toEqual(field(first, heading));
  }
});

test("of a session without files the newest request is the objective, and goes on until there is a newer one", async () => {
  const directory = folder();
  const facts = (text: string) => gatherRuntimeFacts([prompt("u", text)], directory);
  const first = await buildBrief(directory, { facts: facts("Write an importer.") });
  const second = await buildBrief(directory, { carried: first.brief.carried });
  expect(field(second, "Primary Objective")).toEqual(["The user's request: “Write an importer.”"]);
  const third = await buildBrief(directory, {
    facts: facts("Mind the byte order mark."),
    carried: second.brief.carried,
  });
  expect(field(third, "Primary Objective")).toEqual([
    "The user's request: “Mind the byte order mark.”",
  ]);
  expect(field(third, "Next Action")?.[0]).toContain("Mind the byte order mark.");
});

test("an objective of files that are gone outlasts newer requests", async () => {
  const carried = { objective: "Replace the parser", decisions: [] };
  const facts = gatherRuntimeFacts([prompt("u", "Go on.")], "/p");
  const brief = await buildBrief(folder(), { facts, carried });
  expect(field(brief, "Primary Objective")).toEqual(["Replace the parser"]);
  expect(brief.brief.carried.objective).toBe("Replace the parser");
});

test("they end when the files say otherwise", async () => {
  const carried = { objective: "The old one.", decisions: ["Decision: the old one"] };
  const directory = writeFiles(folder(), {
    "SESSION.md": "Goal: the new one\nDecision: the new one\n",
  });
  const brief = await buildBrief(directory, { carried });
  expect(field(brief, "Primary Objective")).toEqual(["The new one"]);
  expect(field(brief, "Decisions")).toEqual(["Decision: the new one"]);
});

test("no decision is carried against a file that says there is none", async () => {
  const carried = { objective: null, decisions: ["Decision: the old one"] };
  const directory = writeFiles(folder(), { "SESSION.md": "**Decisions:** none\n" });
  expect(field(await buildBrief(directory, { carried }), "Decisions")).toEqual(["none recorded"]);
});
