// The models that the settings name, for whatever is on.
import type { Config } from "../../../../plugin/src/config/schema.ts";
import { settingsOf } from "../../../../plugin/src/features/settings.ts";
import { historianConfig, historianIsOn } from "../../../../plugin/src/rooms/historian/config.ts";
import { upkeepSettings } from "../../../../plugin/src/rooms/upkeep/settings.ts";

export interface NamedModel {
  readonly setting: string;
  /** As `provider/model`. */
  readonly model: string;
}

export function namedModels(config: Config): readonly NamedModel[] {
  const { tasks } = settingsOf(config, upkeepSettings);
  const historian = historianIsOn(config) ? settingsOf(config, historianConfig).models : [];
  const named = [
    { setting: "jobs.model", model: config.jobs.model },
    ...config.jobs.fallbacks.map((model) => ({ setting: "jobs.fallbacks", model })),
    ...historian.map((model) => ({ setting: "historian.models", model })),
    ...Object.entries(tasks).map(([name, { model }]) => ({
      setting: `upkeep.tasks.${name}.model`,
      model,
    })),
  ];
  return named.flatMap(({ setting, model }) => (model === null ? [] : [{ setting, model }]));
}
