// The schema of the plugin's configuration, with the sections of all of its features.
import { wholeSchema } from "@session-runtime/opencode/config/whole-schema";
import { settingsSections } from "@session-runtime/opencode/feature-api/feature";
import { loadFeatures } from "@session-runtime/opencode/features/list";

export const settingsSchema = await wholeSchema(settingsSections(await loadFeatures(process.env)));
