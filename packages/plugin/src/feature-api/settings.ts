// Declares a feature's section of the configuration, and reads its settings.
import type * as z from "zod";
import {
  collectDefaults,
  type KeySchemas,
  type Settings,
  type SettingsSection,
} from "../config/setting.ts";

export {
  allowAdditions,
  allowAny,
  allowLower,
  allowStricter,
  allowSwitchOff,
  markSecret,
  reserveForUser,
} from "../config/setting.ts";

export type SettingsValues<Section> =
  Section extends SettingsSection<infer Values> ? Values : never;

export function defineSettingsSection<Shape extends KeySchemas>(section: {
  readonly key: string;
  readonly description: string;
  readonly settings: Settings<Readonly<z.output<z.ZodObject<Shape>>>>;
  readonly formerKeys?: Readonly<Record<string, keyof Shape & string>>;
  readonly keys: (zod: typeof z) => Shape | Promise<Shape>;
}): SettingsSection<Readonly<z.output<z.ZodObject<Shape>>>> {
  const { settings } = section;
  return { ...section, settings, defaults: collectDefaults(settings) };
}

/** Returns the effective settings of a section. */
export function selectSettings<Settings extends object>(
  config: object,
  { key, defaults }: SettingsSection<Settings>,
): Settings {
  const settings: unknown = Reflect.get(config, key);
  return settings === undefined ? defaults : (settings as Settings);
}
