// The schema with the sections of features.
import * as z from "zod";
import { settingsSchemas } from "../features/settings-sections.ts";
import { defaults } from "./defaults.ts";
import { type Config, coreKeys } from "./schema.ts";
import { withDefaults } from "./with-defaults.ts";

const sections = Object.entries(settingsSchemas).map(([key, schema]) => [key, schema.prefault({})]);

/** What the effective configuration is checked by. */
export const wholeSchema: z.ZodObject = z.strictObject({
  ...withDefaults(coreKeys, defaults),
  ...Object.fromEntries(sections),
});

/** What a file may hold: the same, and a reference to the schema for editors. */
export const configFileSchema: z.ZodObject = wholeSchema.extend({
  $schema: z.string().optional().describe("Where an editor finds this schema."),
});

/** Validates once per start: zod's compiled fast path costs more than it saves. */
export function parseConfig(values: unknown): Config {
  return wholeSchema.parse(values, { jitless: true }) as Config;
}
