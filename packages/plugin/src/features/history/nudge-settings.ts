// Declares the configuration section for nudges.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const nudgeSettings = settingsSection({
  key: "nudges",
  description: "A reminder that old output can be let go.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model gets a line, at most one per 30 calls, when `ctx_reduce` could let much old output go; needs `recall.enabled` and `history.rewrite`.",
      ),
  }),
});
