// Declares the configuration section for `/ctx-augment`.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const augmentSettings = settingsSection({
  key: "augment",
  description: "Prompts enriched by what recall finds.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether there is `/ctx-augment`, which sends a prompt together with what earlier work says about it; needs `recall.enabled`.",
      ),
  }),
});
