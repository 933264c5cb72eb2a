// What a section of the configuration is that a feature brings: its keys, what they mean, their defaults and whose they are.
import type * as z from "zod";
import type { AnySettings } from "./setting.ts";

/** A section of its own, under a key of its own. */
export interface SettingsSection<Values extends object = object> {
  readonly key: string;
  /** What the section is for. */
  readonly description: string;
  /** Of each key its default, and what a project's file may do with it. */
  readonly settings: AnySettings;
  /** What counts where nothing is configured. */
  readonly defaults: Values;
  /** Names that keys had in the version before: they still work, with a notice, and no list has them. */
  readonly formerKeys?: Readonly<Record<string, string>>;
  /** Every key with its bounds and its meaning. Zod is handed in, so that the host's start needn't load it. */
  readonly keys: (zod: typeof z) => Keys | Promise<Keys>;
}

export type Keys = Readonly<Record<string, z.ZodType>>;
