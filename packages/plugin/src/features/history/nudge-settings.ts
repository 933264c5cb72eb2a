// Declares the configuration section for nudges.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const nudgeSettings = settingsSection({
  key: "nudges",
  description: "A reminder that old output can be dropped.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model is reminded, at most once per 30 calls, when `ctx_reduce` could drop much old output; needs `recall.enabled` and `history.rewrite`.",
      ),
  }),
});
