// The schema with the sections of features, and what each of its keys says beside it.
import * as z from "zod";
import { settingsSchemas, settingsSections } from "../features/settings-sections.ts";
import { coreSettings, defaults, goneCoreSettings } from "./defaults.ts";
import { type Config, coreKeys } from "./schema.ts";
import type { SettingsTree } from "./setting.ts";
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

/** Of every key: its default, what a project's file may do with it, whether it is secret. */
export const allSettings: SettingsTree = {
  ...coreSettings,
  ...Object.fromEntries(settingsSections.map(({ key, settings }) => [key, settings])),
};

/** Former keys, dotted: what is always the case now. */
export const goneSettings: ReadonlyMap<string, string> = new Map([
  ...Object.entries(goneCoreSettings),
  ...settingsSections.flatMap(({ key, gone }) =>
    Object.entries(gone).map(([name, now]) => [`${key}.${name}`, now] as const),
  ),
]);

/** Validates once per start: zod's compiled fast path costs more than it saves. */
export function parseConfig(values: unknown): Config {
  return wholeSchema.parse(values, { jitless: true }) as Config;
}
