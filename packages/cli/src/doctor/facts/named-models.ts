// Lists the models that the settings of enabled features name.
import type { Config } from "@session-runtime/opencode/config/schema";
import { selectSettings } from "@session-runtime/opencode/feature-api/settings";
import { maintenanceSettings } from "@session-runtime/opencode/features/maintenance/settings";
import {
  historianConfig,
  isHistorianOn,
} from "@session-runtime/opencode/features/summaries/config";

export interface NamedModel {
  readonly setting: string;
  /** The model as `provider/model`. */
  readonly model: string;
}

export function namedModels(config: Config): readonly NamedModel[] {
  const { tasks } = selectSettings(config, maintenanceSettings);
  const historian = isHistorianOn(config) ? selectSettings(config, historianConfig).models : [];
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
