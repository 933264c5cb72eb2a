// The database's schema with the tables of all features, as the benchmarks open it.
import { storedSchema } from "../../../plugin/src/features/stored.ts";
import { loadFeatures } from "../../../plugin/src/rooms.ts";

export const schema = await storedSchema(await loadFeatures(process.env));
