// Declares the tools of recall as the model sees them. Keep them short: every word is paid for in each session's
// first request.
import { declareTool } from "../../feature-api/tool.ts";

/** The default number of lines of a record's page. */
export const DEFAULT_LINES = 200;
export const MAX_LINES = 2_000;

export const searchTool = declareTool({
  name: "ctx_search",
  description:
    "Find what was said or seen and left your context. Look before you repeat work or say you don't know.",
  args: {
    query: {
      kind: "text",
      need: "required",
      says: "words, names, numbers, parts",
    },
    in: {
      kind: "choice",
      of: ["session", "project"],
      need: "optional",
      says: "project: its other sessions too",
    },
  },
});

export const expandTool = declareTool({
  name: "ctx_expand",
  description: "Show all that a ref names.",
  args: {
    ref: { kind: "text", need: "required", says: "as r:k3f9ab" },
    from: { kind: "count", need: "optional", says: "first line" },
    lines: { kind: "count", need: "optional", says: `default ${DEFAULT_LINES}` },
    keep: { kind: "flag", need: "optional", says: "stays in context" },
  },
});
