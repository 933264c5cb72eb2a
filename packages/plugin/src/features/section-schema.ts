// The schema of a feature's section of the configuration.
import * as z from "zod";
import { withDefaults } from "../config/with-defaults.ts";
import type { SettingsSection } from "./settings.ts";

export async function sectionSchema<Settings extends object>({
  says,
  keys,
  defaults,
}: SettingsSection<Settings>): Promise<z.ZodObject & z.ZodType<Settings>> {
  const schema = z.strictObject(withDefaults(await keys(z), defaults)).describe(says);
  return schema as z.ZodObject & z.ZodType<Settings>;
}
