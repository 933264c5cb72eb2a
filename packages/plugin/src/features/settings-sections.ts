// The sections that features bring to the configuration; loads with the schema.
import type * as z from "zod";
import { loadFeatures } from "../rooms.ts";
import { sectionSchema } from "./section-schema.ts";
import type { SettingsSection } from "./settings.ts";

const features = await loadFeatures(process.env);

export const settingsSections: readonly SettingsSection[] = features.flatMap(
  ({ settings }) => settings ?? [],
);

const schemas = await Promise.all(
  settingsSections.map(async (section) => [section.key, await sectionSchema(section)] as const),
);

/** By key. */
export const settingsSchemas: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(schemas);
