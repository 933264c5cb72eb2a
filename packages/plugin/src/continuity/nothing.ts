const THINGS =
  "blockers?|risks?|issues?|questions?|decisions?|tests?|items?|work|tasks?|dependenc(?:y|ies)|preconditions?|concerns?|impediments?|actions?|steps?|todos?|changes|failures?|warnings?";

const QUALITIES =
  "known|open|current|active|outstanding|remaining|major|new|pending|real|further|other|critical|next";

const WHEN =
  "yet|known|so far|currently|now|right now|today|at this time|at the moment|at present|at this point|for now|recorded|identified|remaining|left|open|pending|outstanding|found|reported|noted|needed|required|listed|here|whatsoever|to report|all (?:clear|good|done|resolved)";

const NOTHING = new RegExp(
  `^(?:${THINGS})?\\s*(?:there (?:are|is)\\s+)?(?:currently\\s+|presently\\s+)?` +
    `(?:none|nothing|nil|null|no one|n a|na|not applicable|empty|tbd|unknown|no|0|zero)` +
    `(?:\\s+(?:${QUALITIES}))*(?:\\s+(?:${THINGS}))?(?:\\s+(?:or|and|nor)\\s+(?:${THINGS}))*` +
    `(?:\\s+(?:${WHEN}))*$`,
);

/** Whether a text says, in whatever form, that there is nothing: `none.`, `**N/A**`, `No known blockers`, `—`. */
export function isNothing(text: string): boolean {
  if (text.length > 120) return false;
  const words = text
    .toLowerCase()
    .replace(/\([^()]*\)/g, " ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words === "" || NOTHING.test(words);
}
