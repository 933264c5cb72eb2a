// Declares the configuration section for time marks.
import { onlyOff, settingsSection } from "../../feature-api/settings.ts";

export const timeMarkSettings = settingsSection({
  key: "timeMarks",
  description: "Notes of the time that passes in a session.",
  settings: { enabled: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe("Whether the model gets a line when a prompt comes after a long pause."),
  }),
});
