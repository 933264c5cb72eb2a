// The core's settings: their defaults and who may set them. Kept apart from the schema, which is slow to build.
import type { Config } from "./schema.ts";
import {
  allowAdditions,
  allowAny,
  allowLower,
  allowOwnFiles,
  allowStricter,
  allowSwitchOff,
  collectDefaults,
  isSetting,
  markSecret,
  markUserText,
  reserveForUser,
  type Setting,
  type Settings,
  type SettingsTree,
} from "./setting.ts";

/**
 * Types the settings. A section is an object with settings of its own; anything else is a value, a list or a
 * table.
 */
type CoreSettings<Values> = {
  readonly [Key in keyof Values]: IsSection<Values[Key]> extends true
    ? Settings<Values[Key]>
    : Setting<Values[Key]>;
};

type IsSection<Value> = [Value] extends [readonly unknown[]]
  ? false
  : [Value] extends [object]
    ? string extends keyof Value
      ? false
      : true
    : false;

export const coreSettings: CoreSettings<Config> & SettingsTree = {
  enabled: allowSwitchOff(true),
  epoch: {
    onModelSwitch: reserveForUser("keep"),
  },
  recovery: allowStricter("ask", ["off", "ask", "auto"]),
  // A cloned project must not be able to make prompts fail.
  onUnavailable: reserveForUser("omit"),
  date: {
    timeZone: allowAny(null),
  },
  observation: {
    timeoutMs: allowLower(1000),
  },
  sources: markUserText(allowOwnFiles({})),
  generation: markSecret(reserveForUser({})),
  requestOptions: markSecret(reserveForUser({})),
  environment: markSecret(reserveForUser({})),
  instructions: {
    maxBytes: allowLower(1048576),
    urlRefreshMs: reserveForUser(60000),
  },
  continuity: {
    enabled: allowSwitchOff(true),
    prompt: reserveForUser("inject"),
    workflows: markUserText(allowAdditions([])),
  },
  jobs: {
    model: reserveForUser(null),
    fallbacks: reserveForUser([]),
    tokensPerDay: reserveForUser(1000000),
    tokensPerSession: reserveForUser(400000),
  },
  cache: {
    ttlMs: reserveForUser(300000),
    split: reserveForUser("auto"),
  },
  toolOutput: {
    enabled: allowSwitchOff(true),
    maxLines: allowLower(null),
    maxBytes: allowLower(null),
  },
  notices: {
    // Notices report a project's refused settings, so a project can't turn notices off.
    toast: reserveForUser(true),
  },
  log: {
    level: reserveForUser("info"),
    path: reserveForUser(null),
  },
  lowering: allowStricter("auto", ["wrapped", "auto", "native"]),
  storage: {
    path: reserveForUser(null),
  },
};

export const defaults: Config = Object.fromEntries(
  Object.entries(coreSettings).map(([key, node]) => [
    key,
    isSetting(node) ? node.default : collectDefaults<Readonly<Record<string, unknown>>>(node),
  ]),
) as Config;
