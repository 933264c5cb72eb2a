// Declares the configuration section for search hints.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const searchHintSettings = settingsSection({
  key: "searchHints",
  description: "What earlier work says about a prompt.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether a prompt is followed by a line where earlier work says something about it that is not in the context; needs `recall.enabled`.",
      ),
  }),
});
