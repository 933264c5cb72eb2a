// What a feature's section of the configuration is: its keys, what they mean, their defaults and whose they are.
import type * as z from "zod";
import { type AnySettings, defaultsOf, type Settings } from "../config/setting.ts";

export {
  free,
  onlyLower,
  onlyMore,
  onlyOff,
  onlyStricter,
  secret,
  usersOwn,
} from "../config/setting.ts";

/** A section of its own, under a key of its own. */
export interface SettingsSection<Values extends object = object> {
  readonly key: string;
  /** What the section is for. */
  readonly says: string;
  /** Of each key its default, and what a project's file may do with it. */
  readonly settings: AnySettings;
  /** What counts where nothing is configured. */
  readonly defaults: Values;
  /** Former keys: what is always the case now, as a sentence. */
  readonly gone: Readonly<Record<string, string>>;
  /** Every key with its bounds and its meaning. Zod is handed in, so that the host's start needn't load it. */
  readonly keys: (zod: typeof z) => Keys | Promise<Keys>;
}

type Keys = Readonly<Record<string, z.ZodType>>;

export type SettingsOf<Section> = Section extends SettingsSection<infer Values> ? Values : never;

export function settingsSection<Shape extends Keys>(section: {
  readonly key: string;
  readonly says: string;
  readonly settings: Settings<Readonly<z.output<z.ZodObject<Shape>>>>;
  readonly gone?: Readonly<Record<string, string>>;
  readonly keys: (zod: typeof z) => Shape | Promise<Shape>;
}): SettingsSection<Readonly<z.output<z.ZodObject<Shape>>>> {
  const { settings } = section;
  return { gone: {}, ...section, settings, defaults: defaultsOf(settings) };
}

/** The effective settings of a section. */
export function settingsOf<Settings extends object>(
  config: object,
  { key, defaults }: SettingsSection<Settings>,
): Settings {
  const settings: unknown = Reflect.get(config, key);
  return settings === undefined ? defaults : (settings as Settings);
}
