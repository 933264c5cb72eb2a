// Declares the configuration section for search hints.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const searchHintSettings = settingsSection({
  key: "searchHints",
  description: "A pointer to earlier work after a prompt.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether a prompt is followed by a line that quotes earlier work on it, if that is not in the context; needs `recall.enabled`.",
      ),
  }),
});
