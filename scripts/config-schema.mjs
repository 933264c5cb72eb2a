// Writes the plugin's config.schema.json again: `node scripts/bun.mjs scripts/config-schema.mjs`.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { configJsonSchema, wholeSchema } from "../packages/plugin/src/config/whole-schema.ts";
import { settingsSections } from "../packages/plugin/src/feature-api/feature.ts";
import { loadFeatures } from "../packages/plugin/src/features/list.ts";

const schema = await wholeSchema(settingsSections(await loadFeatures(process.env)));
const target = fileURLToPath(new URL("../packages/plugin/config.schema.json", import.meta.url));
await writeFile(target, configJsonSchema(schema));
