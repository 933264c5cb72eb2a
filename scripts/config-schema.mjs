// Writes the plugin's config.schema.json again: `node scripts/bun.mjs scripts/config-schema.mjs`.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import {
  buildConfigSchema,
  renderConfigJsonSchema,
} from "@session-runtime/opencode/config/whole-schema";
import { listSettingsSections } from "@session-runtime/opencode/feature-api/feature";
import { loadFeatures } from "@session-runtime/opencode/features/list";

const schema = await buildConfigSchema(listSettingsSections(await loadFeatures(process.env)));
const target = fileURLToPath(new URL("../packages/plugin/config.schema.json", import.meta.url));
await writeFile(target, renderConfigJsonSchema(schema));
