// Declares the configuration sections of history, nudges and time marks.
import {
  allowStricter,
  allowSwitchOff,
  defineSettingsSection,
  reserveForUser,
} from "../../feature-api/settings.ts";

const MIN_HISTORY_TOKENS = 500;
const MAX_HISTORY_TOKENS = 1_000_000;
const MAX_KEEP_RULES = 100;
const MAX_GLOB_CHARS = 500;

export const historyConfig = defineSettingsSection({
  key: "history",
  description: "How much of a long session's history is still sent.",
  settings: {
    rewrite: allowStricter("worth", ["off", "pressure", "worth"]),
    keepTokens: reserveForUser("auto"),
    budgetTokens: reserveForUser("auto"),
    keep: reserveForUser([]),
  },
  keys: (z) => {
    const tokens = z.union([
      z.literal("auto"),
      z.int().min(MIN_HISTORY_TOKENS).max(MAX_HISTORY_TOKENS),
    ]);
    return {
      rewrite: z
        .enum(["worth", "pressure", "off"])
        .describe(
          "When old history is dropped and folded. `worth`: when reading it has cost as much as it would to write the rest again, when the provider's cache has expired, and when the call would not fit. `pressure`: only when it would not fit. `off`: never.",
        ),
      keepTokens: tokens.describe(
        "How much of the newest history is sent verbatim, in tokens. `auto`: begins at a twelfth of the window, and learns from what the model asks for again.",
      ),
      budgetTokens: tokens.describe(
        "How much the records of folded work may take together, in tokens. `auto`: a seventh of the window, at most 8,000.",
      ),
      keep: z
        .array(z.string().trim().min(1).max(MAX_GLOB_CHARS))
        .max(MAX_KEEP_RULES)
        .describe(
          "Tool results that are never dropped, shortened or folded: names of tools, such as `skill` or `github_*`, and globs of files, such as `docs/*.md` or `**/*.sql`, which are matched against the path that a call read or changed, relative to the project's folder.",
        ),
    };
  },
});

export const nudgeSettings = defineSettingsSection({
  key: "nudges",
  description: "A reminder that old output can be dropped.",
  settings: { enabled: allowSwitchOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model is reminded, at most once per 30 calls, when `ctx_reduce` could drop much old output; needs `recall.enabled` and `history.rewrite`.",
      ),
  }),
});

export const timeMarkSettings = defineSettingsSection({
  key: "timeMarks",
  description: "Notes of the time that passes in a session.",
  settings: { enabled: allowSwitchOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe("Whether the model gets a line when a prompt comes after a long pause."),
  }),
});
