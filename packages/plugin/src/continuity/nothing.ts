// Whether a text says, in whatever form, that there is nothing to report.

const THINGS =
  "blockers?|risks?|issues?|questions?|decisions?|tests?|items?|work|tasks?|dependenc(?:y|ies)|preconditions?|concerns?|impediments?|actions?|steps?|todos?|changes|failures?|warnings?";

/** Without "new" and "further": "no new dependencies" is a decision. */
const QUALITIES = "known|open|current|active|outstanding|remaining|pending";

const WHEN =
  "yet|known|so far|currently|now|right now|today|at this time|at the moment|at present|at this point|for now|recorded|identified|remaining|left|open|pending|outstanding|found|reported|noted|needed|required|listed|here|whatsoever|to report|all (?:clear|good|done|resolved)";

const OPENING = "(?:there (?:are|is)\\s+)?(?:currently\\s+|presently\\s+)?";

/** `none yet`, `Blockers: none`. */
const BARE = new RegExp(
  `^(?:(?:${THINGS})\\s+)?${OPENING}` +
    "(?:none|nothing|nil|null|no one|n a|na|not applicable|empty|tbd|unknown|no|0|zero)" +
    `(?:\\s+(?:${WHEN}))*$`,
);

/** `no open questions or risks at this time`. */
const NO_THINGS = new RegExp(
  `^${OPENING}(?:no|zero|0)(?:\\s+(?:${QUALITIES}))*\\s+(?:${THINGS})` +
    `(?:\\s+(?:or|and|nor)\\s+(?:${THINGS}))*(?:\\s+(?:${WHEN}))*$`,
);

/** Whether a text says, in whatever form, that there is nothing: `none.`, `**N/A**`, `No known blockers`, `—`. */
export function isNothing(text: string): boolean {
  if (text.length > 120) return false;
  const words = text
    .toLowerCase()
    .replace(/\([^()]*\)/g, " ")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return words === "" || BARE.test(words) || NO_THINGS.test(words);
}
