// The core's settings: their defaults, and who may set them; apart from the schema, which takes time to build.
import type { Config } from "./schema.ts";
import {
  collectDefaults,
  free,
  isSetting,
  onlyLower,
  onlyMore,
  onlyOff,
  onlyOwnFiles,
  onlyStricter,
  ownWords,
  type Setting,
  type Settings,
  type SettingsTree,
  secret,
  usersOwn,
} from "./setting.ts";

/**
 * Types the settings. Sections are objects with keys of their own; all else is a value, a list or a table.
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
  enabled: onlyOff(true),
  epoch: {
    onModelSwitch: usersOwn("keep"),
  },
  recovery: onlyStricter("ask", ["off", "ask", "auto"]),
  // A clone must not make prompts fail.
  onUnavailable: usersOwn("omit"),
  date: {
    timeZone: free(null),
  },
  observation: {
    timeoutMs: onlyLower(1000),
  },
  sources: ownWords(onlyOwnFiles({})),
  generation: secret(usersOwn({})),
  requestOptions: secret(usersOwn({})),
  environment: secret(usersOwn({})),
  instructions: {
    maxBytes: onlyLower(1048576),
    urlRefreshMs: usersOwn(60000),
  },
  continuity: {
    enabled: onlyOff(true),
    prompt: usersOwn("inject"),
    workflows: ownWords(onlyMore([])),
  },
  jobs: {
    model: usersOwn(null),
    fallbacks: usersOwn([]),
    tokensPerDay: usersOwn(1000000),
    tokensPerSession: usersOwn(400000),
  },
  cache: {
    ttlMs: usersOwn(300000),
    split: usersOwn("auto"),
  },
  toolOutput: {
    enabled: onlyOff(true),
    maxLines: onlyLower(null),
    maxBytes: onlyLower(null),
  },
  notices: {
    // Refused settings of a clone are reported by notices, so a clone can't turn notices off.
    toast: usersOwn(true),
  },
  log: {
    level: usersOwn("info"),
    path: usersOwn(null),
  },
  lowering: onlyStricter("auto", ["wrapped", "auto", "native"]),
  storage: {
    path: usersOwn(null),
  },
};

export const defaults: Config = Object.fromEntries(
  Object.entries(coreSettings).map(([key, node]) => [
    key,
    isSetting(node) ? node.default : collectDefaults<Readonly<Record<string, unknown>>>(node),
  ]),
) as Config;
