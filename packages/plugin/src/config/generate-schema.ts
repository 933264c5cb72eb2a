// Writes config.schema.json again: `node scripts/bun.mjs packages/plugin/src/config/generate-schema.ts`.
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { configJsonSchema } from "./json-schema.ts";

const target = fileURLToPath(new URL("../../config.schema.json", import.meta.url));
await writeFile(target, configJsonSchema());
