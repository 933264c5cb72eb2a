// The list of features; adding one touches its folder, in features/, and this list.
// Folder: The features, each in a folder of its own, and the list that turns them on.
import { pathToFileURL } from "node:url";
import type { Feature } from "../feature-api/feature.ts";
import { jobsFeature } from "../jobs/feature.ts";
import { compactionFeature } from "./compaction/feature.ts";
import { customSourcesFeature } from "./custom-sources/feature.ts";
import {
  historyFeature,
  nudgesFeature,
  reduceFeature,
  timeMarksFeature,
} from "./history/feature.ts";
import { inboxFeature } from "./inbox/feature.ts";
import { instructionRoleFeature } from "./instruction-role/feature.ts";
import { maintenanceFeature } from "./maintenance/feature.ts";
import { memoryFeature, profileFeature, smartNotesFeature } from "./memory/feature.ts";
import {
  augmentFeature,
  commitsFeature,
  keyFilesFeature,
  searchFeature,
  searchHintsFeature,
  searchIndexFeature,
  vectorsFeature,
} from "./search/feature.ts";
import { summariesFeature } from "./summaries/feature.ts";
import { teamFeature } from "./team/feature.ts";
import { toolLimitsFeature, toolOutputFeature } from "./tool-output/feature.ts";
import { tracingFeature } from "./tracing/feature.ts";

const features: readonly Feature[] = [
  // First: a span holds what the others do.
  tracingFeature,
  // Before what hears that a session has settled: the queue has its turn first.
  inboxFeature,
  compactionFeature,
  toolOutputFeature,
  toolLimitsFeature,
  instructionRoleFeature,
  searchIndexFeature,
  searchFeature,
  commitsFeature,
  historyFeature,
  reduceFeature,
  memoryFeature,
  // After those whose texts it is about: a session's newest are indexed by then.
  vectorsFeature,
  // After memory, whose rows its triggers watch.
  teamFeature,
  smartNotesFeature,
  keyFilesFeature,
  profileFeature,
  summariesFeature,
  maintenanceFeature,
  jobsFeature,
  // After history: what it takes away needs no reminder.
  nudgesFeature,
  timeMarksFeature,
  searchHintsFeature,
  augmentFeature,
  customSourcesFeature,
];

/**
 * All features, and in tests the one that the environment names by path: a module whose default export
 * is a feature. Elsewhere there is no such seam. An instance checks the list when it opens.
 */
export async function loadFeatures(env: NodeJS.ProcessEnv): Promise<readonly Feature[]> {
  const path = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_FEATURE : undefined;
  const own: readonly { readonly default: Feature }[] =
    path === undefined ? [] : [await import(pathToFileURL(path).href)];
  return [...features, ...own.map((module) => module.default)];
}
