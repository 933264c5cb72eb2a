// What a feature's section of the configuration is: its keys, what they mean, and their defaults.
import type * as z from "zod";

/** A section of its own, under a key of its own. */
export interface SettingsSection<Settings extends object = object> {
  readonly key: string;
  /** What the section is for. */
  readonly says: string;
  /** What counts where nothing is configured. */
  readonly defaults: Settings;
  /** Every key with its bounds and its meaning. Zod is handed in, so that the host's start needn't load it. */
  readonly keys: (zod: typeof z) => Keys | Promise<Keys>;
}

type Keys = Readonly<Record<string, z.ZodType>>;

export type SettingsOf<Section> =
  Section extends SettingsSection<infer Settings> ? Settings : never;

export function settingsSection<Shape extends Keys>(section: {
  readonly key: string;
  readonly says: string;
  readonly defaults: Readonly<z.output<z.ZodObject<Shape>>>;
  readonly keys: (zod: typeof z) => Shape | Promise<Shape>;
}): SettingsSection<Readonly<z.output<z.ZodObject<Shape>>>> {
  return section;
}

/** The effective settings of a section. */
export function settingsOf<Settings extends object>(
  config: object,
  { key, defaults }: SettingsSection<Settings>,
): Settings {
  const settings: unknown = Reflect.get(config, key);
  return settings === undefined ? defaults : (settings as Settings);
}
