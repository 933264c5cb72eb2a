// What a feature's section of the configuration is.
import type * as z from "zod";

/** A section of its own, under a key of its own. */
export interface SettingsSection<Settings extends object = object> {
  readonly key: string;
  /** What counts where nothing is configured; the schema's own defaults, so that it need not load. */
  readonly defaults: Settings;
  /** Every key with its meaning and its default. */
  readonly schema: () => Promise<z.ZodObject>;
}

/** The effective settings of a section. */
export function settingsOf<Settings extends object>(
  config: object,
  { key, defaults }: SettingsSection<Settings>,
): Settings {
  const settings: unknown = Reflect.get(config, key);
  return settings === undefined ? defaults : (settings as Settings);
}
