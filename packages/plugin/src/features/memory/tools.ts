// Declares the tools of memory, profile and smart notes; each session's first request pays for every word.
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

// Declares the tool of the user's profile as the model sees it.

export const profileTool = declareTool({
  name: "ctx_profile",
  description:
    "Note how this user likes to work, where they have shown it and it holds in every project. They read it.",
  args: { text: { kind: "text", need: "required", says: "one sentence" } },
});

// Declares the tool of smart notes as the model sees it.

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
