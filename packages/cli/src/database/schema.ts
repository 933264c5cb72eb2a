// The schema of the database, with the tables of all features of the plugin.
import { composeStoredSchema } from "@session-runtime/opencode/feature-api/stored";
import { loadFeatures } from "@session-runtime/opencode/features/list";

export const schema = await composeStoredSchema(await loadFeatures(process.env));
