// The schema of the plugin's configuration, with the sections of all of its features.
import { wholeSchema } from "../../../plugin/src/config/whole-schema.ts";
import { settingsSections } from "../../../plugin/src/feature-api/feature.ts";
import { loadFeatures } from "../../../plugin/src/features/list.ts";

export const settingsSchema = await wholeSchema(settingsSections(await loadFeatures(process.env)));
