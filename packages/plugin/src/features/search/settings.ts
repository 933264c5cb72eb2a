// Declares the configuration section for recall.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const recallSettings = settingsSection({
  key: "recall",
  description: "Finding what was said and seen in sessions.",
  settings: { enabled: onlyOff(true) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether sessions are indexed, in a file beside the database, and the model is offered `ctx_search`, `ctx_expand` and, where `history.rewrite` is on, `ctx_reduce`.",
      ),
  }),
});
