// `session-runtime profile`: shows, corrects and forgets what is noted of the user.

import type { CliAnswer, CliCall, CliCommandCode } from "../../feature-api/cli-command.ts";
import { ProfileActions } from "./profile-actions.ts";
import { profileStore } from "./profile-table.ts";

export const profileCli: CliCommandCode = {
  details: [
    "It is the same in all projects, and stays in the database of this machine.",
    "Actions: show, add, edit, forget. What is forgotten is deleted for good.",
  ],
  args: {
    do: { type: "positional", required: false, description: "Action (default: show)" },
    what: { type: "positional", required: false, description: "A number, all, or a text to add" },
    text: { type: "string", description: "New text", valueHint: "text" },
  },
  examples: [
    { line: "session-runtime profile", does: "shows the notes about you" },
    { line: 'session-runtime profile edit p3 --text "Wants short answers."', does: "corrects one" },
    { line: "session-runtime profile forget all", does: "deletes everything" },
  ],
  access: "makes",
  run: runAction,
};

function runAction({ given, driver, nowMs }: CliCall): CliAnswer {
  const store = profileStore(driver);
  const actions = new ProfileActions(store, nowMs);
  const readWord = (name: string) => String(given.get(name) ?? "");
  const asked = { action: readWord("do"), what: readWord("what"), text: readWord("text") };
  const text = actions.carryOut(asked, "Unknown action. Use show, add, edit or forget.");
  return { text, values: { observations: store.list() } };
}
