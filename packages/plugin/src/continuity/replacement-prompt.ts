// The compaction prompt of `continuity.prompt: "replace"`.

/**
 * A compaction prompt that stands in the host's place. The host puts the conversation behind it, and
 * leaves out an earlier summary, so that one has to be in it.
 */
export function replacementPrompt(brief: string, previousSummary: string | null): string {
  const earlier =
    previousSummary === null
      ? []
      : [
          "An earlier part of the session was compacted before. Its summary; keep what still holds:",
          previousSummary,
        ];
  return [
    ...INSTRUCTIONS,
    ...earlier,
    "The state of the work, from its files and the session:",
    brief,
  ].join("\n\n");
}

const INSTRUCTIONS = [
  "Summarize the conversation below so that another agent can take the work over from your summary alone.",
  [
    "State, each under a heading of its own: the objective; the workflow stage and its gate, by their exact names; what is done; what is in progress; what remains; decisions with their reasons; files that matter, with paths; blockers; the next action.",
    "Keep paths, commands, names and error messages as they are.",
    "Where the conversation is newer than the brief, the conversation is right.",
    "Answer with the summary only; do not go on with the work.",
  ].join(" "),
];
