// The section of the configuration for smart notes.
import type { SettingsSection } from "../features/settings.ts";

export interface SmartNoteSettings {
  readonly enabled: boolean;
  /** Command lines that a note may have run. */
  readonly commands: readonly string[];
  readonly questions: boolean;
}

export const smartNoteSettings: SettingsSection<SmartNoteSettings> = {
  key: "smartNotes",
  defaults: { enabled: false, commands: [], questions: false },
  schema: async () => (await import("./settings-schema.ts")).smartNotesSchema,
};
