// The tool of smart notes as the model is offered it.
import { declareTool } from "../../feature-api/tool.ts";

export const remindTool = declareTool({
  name: "ctx_remind",
  description: "Add a note that comes up when its condition holds; close one that is done.",
  args: {
    text: { kind: "text", need: "optional", says: "" },
    when: {
      kind: "text",
      need: "optional",
      says: '"2026-12-01 14:00", "in 2 days", "file PATH" (appears or changes), "command LINE" (exits with 0), "ask QUESTION"',
    },
    for: { kind: "choice", of: ["session", "project"], need: "optional", says: "" },
    done: { kind: "text", need: "optional", says: "refs" },
  },
});
