// The section of the configuration for smart notes.
import {
  onlyOff,
  type SettingsValues,
  settingsSection,
  usersOwn,
} from "../../feature-api/settings.ts";

export const smartNoteSettings = settingsSection({
  key: "smartNotes",
  description: "Notes that come up when a condition holds.",
  settings: { enabled: onlyOff(false), commands: usersOwn([]), questions: onlyOff(false) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe("Whether the model is offered `ctx_remind`, and you `/ctx-remind`."),
    commands: z
      .array(z.string().min(1))
      .describe(
        "The exact command lines that a note may wait for; each runs in the background after a turn. Ignored in a project's file.",
      ),
    questions: z
      .boolean()
      .describe("Whether a note may wait for a question that a background job asks a model."),
  }),
});

export type SmartNoteSettings = SettingsValues<typeof smartNoteSettings>;
