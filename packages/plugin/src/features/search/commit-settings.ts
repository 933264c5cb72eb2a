// Declares the configuration section for commits.
import { onlyOff, settingsSection, usersOwn } from "../../feature-api/settings.ts";

const MAX_COMMITS = 10_000_000;

export const commitSettings = settingsSection({
  key: "commits",
  description: "Finding what was committed.",
  settings: { enabled: onlyOff(true), maxIndexed: usersOwn(100_000) },
  formerKeys: { most: "maxIndexed" },
  keys: (z) => ({
    enabled: z
      .boolean()
      .describe(
        "Whether `ctx_search` looks through the commits of HEAD, where `recall.enabled` is set.",
      ),
    maxIndexed: z
      .int()
      .min(1)
      .max(MAX_COMMITS)
      .describe("A history of more commits than this is not indexed; a notice says so."),
  }),
});
