// The database's schema with the tables of all features, as the benchmarks open it.
import { storedSchema } from "@session-runtime/opencode/feature-api/stored";
import { loadFeatures } from "@session-runtime/opencode/features/list";

export const schema = await storedSchema(await loadFeatures(process.env));
