// Declares the features of long sessions to the host: history, nudges, `ctx_reduce`, time marks.
import {
  KEEP_REF,
  SEGMENT_SEARCH,
  STATED_LIMITS,
  WRITTEN_SEGMENTS,
} from "../../feature-api/extension-points.ts";
import { defineFeature, type Feature } from "../../feature-api/feature.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { isReduceEnabled, reduceTool } from "./reduce-tool.ts";
import { historyConfig, nudgeSettings, timeMarkSettings } from "./settings.ts";

export const historyFeature = defineFeature({
  name: "history",
  isOn: (config) => selectSettings(config, historyConfig).rewrite !== "off",
  enableHint: '"history": { "rewrite": "worth" }',
  commands: [
    {
      name: "ctx-history",
      title: "History",
      description: "Show what is folded and dropped, as the model sees it",
      shows: "report",
    },
    {
      name: "ctx-fold",
      title: "Fold",
      description:
        "Fold older work at the next message; `before 3`: all before your third-last prompt",
      shows: "answer",
    },
    {
      name: "ctx-keep",
      title: "Keep",
      description: "List what is kept; with a ref, bring back what it names and keep it",
      shows: "answer",
    },
  ],
  cliCommands: [
    {
      name: "history",
      summary: "Show what of a session is folded and dropped, and what that spared",
      load: async () => (await import("./history-cli.ts")).historyCli,
    },
  ],
  settings: historyConfig,
  tables: async () => (await import("./rewrite-store.ts")).historyTables,
  status: async () => (await import("./section.ts")).historySection,
  provides: { keep: KEEP_REF, statedTokens: STATED_LIMITS },
  uses: { written: WRITTEN_SEGMENTS, findSegment: SEGMENT_SEARCH },
  open: async (context, given) =>
    (await import("./create-history.ts")).createHistoryFeature(context, given),
});

export const nudgesFeature: Feature = {
  name: "nudges",
  isOn: (config) => selectSettings(config, nudgeSettings).enabled,
  settings: nudgeSettings,
  open: async (context) => (await import("./nudge.ts")).createNudgesFeature(context),
};

export const reduceFeature: Feature = {
  name: "let-go",
  isOn: isReduceEnabled,
  tools: [reduceTool],
  open: async (context) => (await import("./reduce.ts")).createReduceFeature(context),
};

export const timeMarksFeature: Feature = {
  name: "time-marks",
  isOn: (config) => selectSettings(config, timeMarkSettings).enabled,
  settings: timeMarkSettings,
  open: async (context) => (await import("./time-mark.ts")).createTimeMarksFeature(context),
};
