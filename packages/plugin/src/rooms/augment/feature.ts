// `/ctx-aug` as declared to the host.
import { defineFeature } from "../../features/define-feature.ts";
import { FINDERS, INBOX, SEARCH_INDEX } from "../../features/extension-points.ts";
import { selectSettings } from "../../features/settings.ts";
import { augmentSettings } from "./settings.ts";

export const augmentFeature = defineFeature({
  name: "augment",
  isOn: (config) => selectSettings(config, augmentSettings).enabled,
  enableHint: '"augment": { "enabled": true }, "recall": { "enabled": true }',
  commands: [
    {
      name: "ctx-aug",
      title: "Send with earlier work",
      description: "Send a prompt together with what earlier work says about it",
      shows: "answer",
    },
  ],
  settings: augmentSettings,
  needs: { index: SEARCH_INDEX },
  uses: { finders: FINDERS, inbox: INBOX },
  open: async (context, given) => (await import("./room.ts")).createAugmentFeature(context, given),
});
