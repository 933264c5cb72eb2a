// Declares `ctx_reduce` as the model sees it. Keep it short: every word is paid for in each session's first request.
import type { Config } from "../../config/schema.ts";
import { selectSettings } from "../../feature-api/settings.ts";
import { declareTool } from "../../feature-api/tool.ts";
import { recallSettings } from "../search/settings.ts";
import { historyConfig } from "./settings.ts";

export const reduceTool = declareTool({
  name: "ctx_reduce",
  description: "Drop tool results you no longer need; ctx_search finds them.",
  args: {
    drop: {
      kind: "texts",
      need: "required",
      says: 'calls ("read src/a.ts", "bash npm test") or refs',
    },
  },
});

/**
 * Requires rewriting and recall: without rewriting nothing can be dropped, and only recall finds what was
 * dropped.
 */
export function isReduceEnabled(config: Config): boolean {
  const { enabled } = selectSettings(config, recallSettings);
  return enabled && selectSettings(config, historyConfig).rewrite !== "off";
}
