// A feature's section of the configuration: its keys, descriptions, defaults and permissions.
import type * as z from "zod";
import type { AnySettings } from "./setting.ts";

/** Declares a section with a key of its own. */
export interface SettingsSection<Values extends object = object> {
  readonly key: string;
  /** Says what the section is for. */
  readonly description: string;
  /** Each key's default, and what a project's file may do with it. */
  readonly settings: AnySettings;
  /** The values where nothing is configured. */
  readonly defaults: Values;
  /** Maps keys' names in the previous version to the current ones: they work, with a notice, and are not listed. */
  readonly formerKeys?: Readonly<Record<string, string>>;
  /**
   * Declares each key with its bounds and description. Zod is a parameter, so that the host's start needn't
   * load it.
   */
  readonly keys: (zod: typeof z) => Keys | Promise<Keys>;
}

export type Keys = Readonly<Record<string, z.ZodType>>;
