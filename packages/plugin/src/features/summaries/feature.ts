// Declares the historian to the host.
import {
  FINDERS,
  SEARCH_INDEX,
  SEGMENT_SEARCH,
  SEMANTIC_CORPORA,
  WRITTEN_SEGMENTS,
} from "../../feature-api/extension-points.ts";
import { defineFeature } from "../../feature-api/feature.ts";
import { historianConfig, isHistorianOn } from "./config.ts";

export const summariesFeature = defineFeature({
  name: "historian",
  isOn: isHistorianOn,
  enableHint: '"historian": { "enabled": true }, "history": { "rewrite": "worth" }',
  commands: [
    {
      name: "ctx-resummarize",
      formerNames: ["ctx-recomp"],
      title: "Summarise again",
      description: "Have a model summarise this session's history again",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "resummarize",
      formerNames: ["recomp"],
      summary: "Have the history of sessions summarised again",
      load: async () => (await import("./resummarize-cli.ts")).resummarizeCli,
    },
  ],
  settings: historianConfig,
  tables: async () => (await import("./segment-table.ts")).historianTables,
  status: async () => (await import("./section.ts")).readHistorianSection,
  provides: {
    finder: FINDERS,
    corpus: SEMANTIC_CORPORA,
    findSegment: SEGMENT_SEARCH,
    written: WRITTEN_SEGMENTS,
  },
  uses: { index: SEARCH_INDEX },
  open: async (context, given) =>
    (await import("./create-summaries.ts")).createSummariesFeature(context, given),
});
