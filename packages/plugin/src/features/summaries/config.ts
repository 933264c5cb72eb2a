// Declares the configuration section for the historian.
import {
  allowSwitchOff,
  defineSettingsSection,
  reserveForUser,
  selectSettings,
} from "../../feature-api/settings.ts";
import { historyConfig } from "../history/settings.ts";

export const historianConfig = defineSettingsSection({
  key: "historian",
  description: "Summaries of older history, written by a model in the background.",
  settings: {
    enabled: allowSwitchOff(true),
    models: reserveForUser([]),
    batchTokens: reserveForUser(12_000),
    leastTokens: reserveForUser(40_000),
  },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether a model writes summaries of older history in the background. What is folded before its summary is ready is replaced by extracts.",
      ),
    models: z
      .array(z.string().regex(/^[^\s/]+\/\S+$/, 'expected "provider/model"'))
      .max(8)
      .describe(
        "Models that write the summaries, as `provider/model`, tried in turn. If empty: the model of `jobs`, or OpenCode's small model.",
      ),
    batchTokens: z
      .int()
      .min(1_000)
      .max(200_000)
      .describe(
        "How much older history without a summary is given to the model at once, in tokens.",
      ),
    leastTokens: z
      .int()
      .min(0)
      .max(10_000_000)
      .describe(
        "A session with less work than this gets no summaries; counted in tokens of its calls and results.",
      ),
  }),
});

/** Requires the fold, because nothing else reads the segments. */
export function isHistorianOn(config: Parameters<typeof selectSettings>[0]): boolean {
  return (
    selectSettings(config, historianConfig).enabled &&
    selectSettings(config, historyConfig).rewrite !== "off"
  );
}
