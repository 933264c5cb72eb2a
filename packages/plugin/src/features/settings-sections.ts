// The sections that features bring to the configuration; loads with the schema.
import type * as z from "zod";
import { loadFeatures } from "../rooms.ts";
import { sectionSchema } from "./section-schema.ts";

const features = await loadFeatures(process.env);

const sections = await Promise.all(
  features.flatMap(({ settings }) =>
    settings ? [sectionSchema(settings).then((schema) => [settings.key, schema] as const)] : [],
  ),
);

/** By key. */
export const settingsSchemas: Readonly<Record<string, z.ZodObject>> = Object.fromEntries(sections);
