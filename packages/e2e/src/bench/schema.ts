// The database's schema with the tables of all features, as the benchmarks open it.
import { storedSchema } from "../../../plugin/src/feature-api/stored.ts";
import { loadFeatures } from "../../../plugin/src/features/list.ts";

export const schema = await storedSchema(await loadFeatures(process.env));
