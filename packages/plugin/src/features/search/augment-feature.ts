// Declares `/ctx-augment` to the host.
import { defineFeature } from "../../feature-api/define-feature.ts";
import { FINDERS, INBOX, SEARCH_INDEX } from "../../feature-api/extension-points.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { augmentSettings } from "./augment-settings.ts";

export const augmentFeature = defineFeature({
  name: "augment",
  isOn: (config) => selectSettings(config, augmentSettings).enabled,
  enableHint: '"augment": { "enabled": true }, "recall": { "enabled": true }',
  commands: [
    {
      name: "ctx-augment",
      formerNames: ["ctx-aug"],
      title: "Send with earlier work",
      description: "Send a prompt together with what earlier work says about it",
      shows: "answer",
    },
  ],
  settings: augmentSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS, inbox: INBOX },
  open: async (context, given) =>
    (await import("./create-augment.ts")).createAugmentFeature(context, given),
});
