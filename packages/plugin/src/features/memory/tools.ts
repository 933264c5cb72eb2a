// The tools of memory as the model is offered them: each word is paid for in every first request.
import { declareTool } from "../../feature-api/tool.ts";
import { CATEGORIES } from "./record.ts";

export const memoryTool = declareTool({
  name: "ctx_memory",
  description: "Keep facts for later sessions; fix wrong ones.",
  args: {
    action: {
      kind: "choice",
      of: ["write", "update", "archive", "merge", "list"],
      need: "required",
      says: "",
    },
    text: { kind: "text", need: "optional", says: "" },
    category: { kind: "choice", of: CATEGORIES, need: "optional", says: "" },
    refs: { kind: "text", need: "optional", says: "" },
  },
});

export const noteTool = declareTool({
  name: "ctx_note",
  description: "Note what stays in view until done.",
  args: {
    text: { kind: "text", need: "optional", says: "" },
    for: { kind: "choice", of: ["session", "project"], need: "optional", says: "" },
    done: { kind: "text", need: "optional", says: "" },
  },
});
