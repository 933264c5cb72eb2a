// The tool of the user's profile as the model is offered it.
import { declareTool } from "../../feature-api/tool.ts";

export const profileTool = declareTool({
  name: "ctx_profile",
  description:
    "Note how this user likes to work, where they have shown it and it holds in every project. They read it.",
  args: { text: { kind: "text", need: "required", says: "one sentence" } },
});
