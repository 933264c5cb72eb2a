// The schema of the plugin's configuration, with the sections of all of its features.
import { buildConfigSchema } from "@session-runtime/opencode/config/whole-schema";
import { listSettingsSections } from "@session-runtime/opencode/feature-api/feature";
import { loadFeatures } from "@session-runtime/opencode/features/list";

export const settingsSchema = await buildConfigSchema(
  listSettingsSections(await loadFeatures(process.env)),
);
