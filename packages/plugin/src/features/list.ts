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
  // Comes first, because a span contains what the other features do.
  tracingFeature,
  // Comes before features that react when a session has settled, because the queue has its turn first.
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
  // Comes after the features whose texts it indexes, so that a session's newest texts are indexed by then.
  vectorsFeature,
  // Comes after memory, because its triggers watch memory's rows.
  teamFeature,
  smartNotesFeature,
  keyFilesFeature,
  profileFeature,
  summariesFeature,
  maintenanceFeature,
  jobsFeature,
  // Comes after history, because what history drops needs no reminder.
  nudgesFeature,
  timeMarksFeature,
  searchHintsFeature,
  augmentFeature,
  customSourcesFeature,
];

/**
 * Loads all features and, in tests only, the one at the path that the environment names: a module whose
 * default export is a feature. An instance checks the list when it opens.
 */
export async function loadFeatures(env: NodeJS.ProcessEnv): Promise<readonly Feature[]> {
  const path = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_FEATURE : undefined;
  const own: readonly { readonly default: Feature }[] =
    path === undefined ? [] : [await import(pathToFileURL(path).href)];
  return [...features, ...own.map((module) => module.default)];
}
