// The schema of the section for key files.
import * as z from "zod";

/** A project's file may give them, and each is looked at as a session begins. */
const MOST_PATHS = 200;

const paths = (says: string) =>
  z.array(z.string().min(1)).max(MOST_PATHS).default([]).describe(says);

export const keyFilesSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .default(false)
      .describe(
        "Whether the model gets the outlines of the files that sessions of the project keep coming back to; needs `recall.enabled`, which knows them.",
      ),
    budgetTokens: z
      .int()
      .min(100)
      .max(20_000)
      .default(1_000)
      .describe("How much these outlines may take, in tokens."),
    pinned: paths("Files that come first, whether sessions use them or not; relative paths."),
    banned: paths("Files and folders that are never among them; relative paths."),
    grammars: z
      .string()
      .default("")
      .describe(
        "Folder with `tree-sitter.js` and grammars, as in the package `@vscode/tree-sitter-wasm`. Empty: that package beside OpenCode's plugins; where it isn't installed, outlines are read off the lines. Ignored in a project's file.",
      ),
  })
  .describe("The files that a project keeps coming back to.");
