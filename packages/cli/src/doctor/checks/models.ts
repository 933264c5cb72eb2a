// Checks that OpenCode offers the models that the settings name.
import { findClosestKey } from "@session-runtime/opencode/config/suggest";
import { NO_HOST } from "../answers.ts";
import type { NamedModel } from "../facts/named-models.ts";
import { type Check, type Finding, found, passed, skipped } from "../finding.ts";

export const modelsOffered: Check = {
  id: "models-offered",
  title: "OpenCode offers the models that the settings name",
  answeredBy: [...NO_HOST, "disabled-by-setting"],
  run: ({ models: { named, offered } }) => {
    if (named.length === 0) return passed("none is named");
    if (offered === null) return skipped("OpenCode gave no list of its models");
    const known = new Set(offered);
    const wrong = named.filter(({ model }) => !known.has(model));
    if (wrong.length > 0) return found(...wrong.map((one) => createModelFinding(one, offered)));
    return passed([...new Set(named.map(({ model }) => model))].join(", "));
  },
};

function createModelFinding({ setting, model }: NamedModel, offered: readonly string[]): Finding {
  const provider = model.slice(0, model.indexOf("/"));
  const ofProvider = offered.filter((one) => one.startsWith(`${provider}/`));
  const meant = findClosestKey(model, ofProvider.length > 0 ? ofProvider : offered);
  return {
    code: "model-not-offered",
    severity: "warning",
    what: `${setting} names ${model}, which OpenCode does not offer, so it can't be used.`,
    cause:
      ofProvider.length === 0
        ? `No provider "${provider}" is set up in OpenCode.`
        : `OpenCode's provider "${provider}" has no model of that name.`,
    fix: `${meant === null ? "" : `Did you mean ${meant}? `}\`opencode models\` lists what it offers; \`opencode auth login\` adds a provider.`,
  };
}
