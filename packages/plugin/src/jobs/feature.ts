// Defines the jobs feature for command line and status: what ran, what it cost, why it failed.
import type { Feature } from "../feature-api/feature.ts";

export const jobsFeature: Feature = {
  name: "jobs",
  cliCommands: [
    {
      name: "jobs",
      summary: "List background jobs of this folder, retry or stop one",
      load: async () => (await import("./jobs-cli.ts")).jobsCli,
    },
  ],
  status: async () => (await import("./jobs-section.ts")).readJobsSection,
  open: async () => ({}),
};
