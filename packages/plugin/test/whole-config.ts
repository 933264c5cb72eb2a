// The configuration with the sections of all features, as the roots compose it.
import type { ConfigLayer } from "../src/config/layer.ts";
import { type ResolvedConfig, resolveConfig as resolveBy } from "../src/config/resolve.ts";
import type { Config } from "../src/config/schema.ts";
import { buildConfigSchema, parseConfig as parseBy } from "../src/config/whole-schema.ts";
import { listSettingsSections } from "../src/feature-api/feature.ts";
import { loadFeatures } from "../src/features/list.ts";

export const sections = listSettingsSections(await loadFeatures(process.env));
export const settingsSchema = await buildConfigSchema(sections);

export function parseConfig(values: unknown): Config {
  return parseBy(settingsSchema, values);
}

export function resolveConfig(layers: readonly ConfigLayer[]): ResolvedConfig {
  return resolveBy(settingsSchema, layers);
}
