// The tool that lets go of results, as the model is offered it: each word is paid for in every first request.
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

/** Where history is never rewritten nothing goes, and what went is found by recall alone. */
export function isReduceEnabled(config: Config): boolean {
  const { enabled } = selectSettings(config, recallSettings);
  return enabled && selectSettings(config, historyConfig).rewrite !== "off";
}
