// Declares the configuration section for key files.
import {
  onlyMore,
  onlyOff,
  type SettingsValues,
  settingsSection,
} from "../../feature-api/settings.ts";

/** The number of pinned paths is bounded: a project's file may list them, and each is checked as a session begins. */
const MAX_PATHS = 200;

export const keyFileSettings = settingsSection({
  key: "keyFiles",
  description: "The files that a project keeps coming back to.",
  settings: {
    enabled: onlyOff(false),
    pinned: onlyMore([]),
    banned: onlyMore([]),
  },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether the model gets the outlines of the files that sessions of the project keep coming back to; needs `recall.enabled`, whose index has them.",
      ),
    pinned: z
      .array(z.string().min(1))
      .max(MAX_PATHS)
      .describe("Files that come first, whether sessions use them or not; relative paths."),
    banned: z
      .array(z.string().min(1))
      .max(MAX_PATHS)
      .describe("Files and folders that are never listed; relative paths."),
  }),
});

export type KeyFileSettings = SettingsValues<typeof keyFileSettings>;
