// Implements chat.params: applies the configured settings of this call's model.
import type { Hooks } from "@opencode-ai/plugin";
import type { ModelOptions, OptionFault } from "../config/model-options.ts";
import type { Notice, Notices } from "../log/notices.ts";

type ChatParams = NonNullable<Hooks["chat.params"]>;
/** Lists agents whose calls keep the host's settings. */
const SIDE_AGENTS = new Set(["title", "summary", "compaction"]);

/** Applies the configured settings of this call's model over the host's own, for chat.params. */
export function applyModelOptions(
  modelOptions: ModelOptions,
  notices: Notices,
  input: Parameters<ChatParams>[0],
  output: Parameters<ChatParams>[1],
): void {
  if (SIDE_AGENTS.has(input.agent)) return;
  const { providerID, id, api, capabilities } = input.model;
  const { generation, options, faults } = modelOptions.resolvePartition({
    providerId: providerID,
    modelId: id,
    npm: api.npm,
    takesTemperature: capabilities.temperature,
  });
  Object.assign(output, generation);
  Object.assign(output.options, options);
  for (const fault of faults) notices.notice(toNotice(fault, `${providerID}/${id}`));
}

function toNotice(fault: OptionFault, model: string): Notice {
  const code = `option_${fault.kind}:${model}:${fault.name}`;
  return { code, severity: "warning", ends: "with the instance", ...describeFault(fault, model) };
}

function describeFault(fault: OptionFault, model: string): Pick<Notice, "message" | "remedy"> {
  switch (fault.kind) {
    case "unknown":
      return {
        message: `The provider of ${model} is not known to accept the setting ${fault.name}. It was passed on unchanged.`,
        remedy:
          "Check its spelling under requestOptions and generation of Session Runtime's config.",
      };
    case "untaken":
      return {
        message: `OpenCode's catalogue says that ${model} does not accept ${fault.name}. The configured value was passed on; the provider may ignore it or refuse the request.`,
        remedy: `Remove it for this model from generation in Session Runtime's config, or set "${fault.name}": true on the model in opencode.json if it accepts one.`,
      };
    case "unfit":
      return {
        message: `The setting ${fault.name} for ${model} must be ${fault.expected}. It was left out.`,
        remedy: "Correct it under requestOptions or generation of Session Runtime's config.",
      };
  }
}
