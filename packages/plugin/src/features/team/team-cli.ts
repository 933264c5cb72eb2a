// Adds a team store's commands to `session-runtime memory`: push, pull and status.
import type { CliCommandCode } from "../../feature-api/command.ts";
import { memoryCli as ownMemories } from "../memory/memory-cli.ts";

const TEAM_ACTIONS = ["push", "pull", "status"] as const;

export const teamMemoryCli: CliCommandCode = {
  ...ownMemories,
  details: [
    ...ownMemories.details,
    "With a team's store, push, pull and status, too: an open session does the first two by itself.",
  ],
  run: async (call) => {
    const word = TEAM_ACTIONS.find((one) => one === call.given.get("do"));
    if (word === undefined) return ownMemories.run(call);
    const { runTeamAction } = await import("./team-actions.ts");
    return runTeamAction(word, call);
  },
};
