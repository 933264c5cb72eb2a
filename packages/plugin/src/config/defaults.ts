// What counts where nothing is configured, for the core; apart from the schema, which takes time to build.
import type { Config } from "./schema.ts";

export const defaults: Config = {
  enabled: true,
  epoch: {
    onModelSwitch: "keep",
  },
  recovery: "ask",
  onUnavailable: "omit",
  date: {
    timeZone: null,
  },
  observation: {
    timeoutMs: 1000,
  },
  sources: {},
  generation: {},
  requestOptions: {},
  environment: {},
  instructions: {
    maxBytes: 1048576,
    urlRefreshMs: 60000,
  },
  continuity: {
    enabled: true,
    prompt: "inject",
    budgetTokens: 6000,
    workflows: [],
  },
  jobs: {
    model: null,
    tokensPerDay: 1000000,
    tokensPerSession: 400000,
  },
  cache: {
    ttlMs: 300000,
    split: "auto",
  },
  toolOutput: {
    enabled: true,
    maxLines: null,
    maxBytes: null,
    retentionDays: 7,
  },
  notices: {
    toast: true,
  },
  log: {
    level: "info",
    path: null,
    maxBytes: 5242880,
    maxAgeDays: 14,
  },
  lowering: "wrapped",
  storage: {
    path: null,
  },
};
