import { describe, expect, test } from "bun:test";
import { scratchFolders } from "../../sources/scratch-folder.ts";
import { buildBrief, type Files, fixture, parseBriefFields, writeFiles } from "./workspace.ts";
import { bugFix, refactor, specExecute } from "./workspaces.ts";

const folder = scratchFolders();

const SAMPLES: readonly (readonly [string, string, Files])[] = [
  ["a generic session with SESSION.md", "generic.brief.md", refactor],
  ["a hybrid spec-execute session", "spec-execute.brief.md", specExecute],
  ["a hybrid bug-fix session", "bug-fix.brief.md", bugFix],
];

describe("L5, L6, L7: the seed's samples", () => {
  for (const [title, file, files] of SAMPLES) {
    describe(title, async () => {
      const { text } = await buildBrief(writeFiles(folder(), files));
      const sample = fixture(file);
      const expected = parseBriefFields(sample);
      for (const [heading, lines] of Object.entries(expected)) {
        test(`has ${heading} as the sample has it`, () => {
          expect(parseBriefFields(text)[heading]).toEqual(lines);
        });
      }
      test("is the sample, byte for byte", () => expect(text).toBe(sample));
    });
  }
});
