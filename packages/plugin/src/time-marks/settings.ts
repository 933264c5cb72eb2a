// The section of the configuration for time marks.
import { onlyOff, settingsSection, usersOwn } from "../features/settings.ts";

const MOST_MINUTES = 525_600;

export const timeMarkSettings = settingsSection({
  key: "timeMarks",
  says: "How much time has passed in a session.",
  settings: { enabled: onlyOff(false), afterMinutes: usersOwn(60) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe("Whether the model gets a line when a prompt comes after a long pause."),
    afterMinutes: z
      .int()
      .min(1)
      .max(MOST_MINUTES)
      .describe("How long the session has to have paused, in minutes."),
  }),
});
