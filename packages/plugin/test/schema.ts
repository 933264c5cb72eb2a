// The database's schema with the tables of all features, as tests open it.
import { composeStoredSchema } from "../src/feature-api/stored.ts";
import { loadFeatures } from "../src/features/list.ts";

export const schema = await composeStoredSchema(await loadFeatures(process.env));
