// The section of the configuration for the user's profile.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const profileSettings = settingsSection({
  key: "profile",
  description: "How you like to work, stored with your consent and on this machine only.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model may note how you like to work, with `ctx_profile`, and gets these notes in all your projects. Ignored in a project's file.",
      ),
  }),
});
