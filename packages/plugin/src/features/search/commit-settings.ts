// The section of the configuration for commits.
import { onlyOff, settingsSection, usersOwn } from "../../feature-api/settings.ts";

const MAX_COMMITS = 10_000_000;

export const commitSettings = settingsSection({
  key: "commits",
  description: "Finding what was committed.",
  settings: { enabled: onlyOff(true), most: usersOwn(100_000) },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether `ctx_search` looks through the commits of HEAD, where `recall.enabled` is set.",
      ),
    most: z
      .int()
      .min(1)
      .max(MAX_COMMITS)
      .describe("A history of more commits than this is not indexed; a notice says so."),
  }),
});
