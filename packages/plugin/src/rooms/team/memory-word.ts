// `session-runtime memory` with what a team's store adds to it: push, pull and status.
import type { ShellCommand } from "../../features/shell-word.ts";
import { memoryWord as ownMemories } from "../memory/memory-word.ts";

const TEAM_WORDS = ["push", "pull", "status"] as const;

export const memoryWord: ShellCommand = {
  ...ownMemories,
  details: [
    ...ownMemories.details,
    "With a team's store, push, pull and status, too: an open session does the first two by itself.",
  ],
  run: async (call) => {
    const word = TEAM_WORDS.find((one) => one === call.given.get("do"));
    if (word === undefined) return ownMemories.run(call);
    const { teamWord } = await import("./team-words.ts");
    return teamWord(word, call);
  },
};
