// The section of the configuration for the user's profile.
import { onlyOff, settingsSection, usersOwn } from "../features/settings.ts";

export const profileSettings = settingsSection({
  key: "profile",
  says: "How you like to work, by your consent; on this machine only.",
  settings: { enabled: onlyOff(false), budgetTokens: usersOwn(300) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether you allow that the model notes how you like to work, with `ctx_profile`, and is given these notes in all your projects. Ignored in a project's file.",
      ),
    budgetTokens: z
      .int()
      .min(50)
      .max(5_000)
      .describe("How much of these notes each session begins with, in tokens; the newest ones."),
  }),
});
