// The database's schema with the tables of all features, as the benchmarks open it.
import { composeStoredSchema } from "@session-runtime/opencode/feature-api/stored";
import { loadFeatures } from "@session-runtime/opencode/features/list";

export const schema = await composeStoredSchema(await loadFeatures(process.env));
