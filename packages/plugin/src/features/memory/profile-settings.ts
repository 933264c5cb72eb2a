// The section of the configuration for the user's profile.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const profileSettings = settingsSection({
  key: "profile",
  description: "How you like to work, by your consent; on this machine only.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether you allow that the model notes how you like to work, with `ctx_profile`, and is given these notes in all your projects. Ignored in a project's file.",
      ),
  }),
});
