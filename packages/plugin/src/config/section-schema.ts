// The schema of one section of the configuration.
import * as z from "zod";
import type { SettingsSection } from "./section.ts";
import { withDefaults } from "./with-defaults.ts";

export async function sectionSchema<Settings extends object>({
  description,
  keys,
  defaults,
}: SettingsSection<Settings>): Promise<z.ZodObject & z.ZodType<Settings>> {
  const schema = z.strictObject(withDefaults(await keys(z), defaults)).describe(description);
  return schema as z.ZodObject & z.ZodType<Settings>;
}
