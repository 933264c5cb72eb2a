// The database's schema with the tables of all features, as tests open it.
import { storedSchema } from "../src/features/stored.ts";
import { loadFeatures } from "../src/rooms.ts";

export const schema = await storedSchema(await loadFeatures(process.env));
