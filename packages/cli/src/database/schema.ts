// The schema of the database, with the tables of all features of the plugin.
import { storedSchema } from "../../../plugin/src/feature-api/stored.ts";
import { loadFeatures } from "../../../plugin/src/features/list.ts";

export const schema = await storedSchema(await loadFeatures(process.env));
