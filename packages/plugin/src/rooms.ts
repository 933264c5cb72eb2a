// The list of features; adding one touches its folder, in rooms/, and this list.
import { pathToFileURL } from "node:url";
import type { Feature } from "./features/feature.ts";
import { checkFeatures } from "./features/opening-order.ts";
import { jobsFeature } from "./jobs/feature.ts";
import { augmentFeature } from "./rooms/augment/feature.ts";
import { commitsFeature } from "./rooms/commits/feature.ts";
import { compactionFeature } from "./rooms/continuity/feature.ts";
import { summariesFeature } from "./rooms/historian/feature.ts";
import { inboxFeature } from "./rooms/inbox/feature.ts";
import { keyFilesFeature } from "./rooms/key-files/feature.ts";
import { reduceFeature } from "./rooms/let-go/feature.ts";
import { instructionRoleFeature } from "./rooms/lowering/feature.ts";
import { memoryFeature } from "./rooms/memory/feature.ts";
import { nudgesFeature } from "./rooms/nudges/feature.ts";
import { profileFeature } from "./rooms/profile/feature.ts";
import { searchFeature, searchIndexFeature } from "./rooms/recall/feature.ts";
import { historyFeature } from "./rooms/rewrites/feature.ts";
import { searchHintsFeature } from "./rooms/search-hints/feature.ts";
import { smartNotesFeature } from "./rooms/smart-notes/feature.ts";
import { teamFeature } from "./rooms/team/feature.ts";
import { timeMarksFeature } from "./rooms/time-marks/feature.ts";
import { toolLimitsFeature } from "./rooms/tool-limits/feature.ts";
import { toolOutputFeature } from "./rooms/tool-output/feature.ts";
import { tracingFeature } from "./rooms/traces/feature.ts";
import { maintenanceFeature } from "./rooms/upkeep/feature.ts";
import { vectorsFeature } from "./rooms/vectors/feature.ts";
import { customSourcesFeature } from "./sources/custom/feature.ts";

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
 * is a feature. Elsewhere there is no such seam.
 * @throws Refusal where what they provide and need doesn't fit together
 */
export async function loadFeatures(env: NodeJS.ProcessEnv): Promise<readonly Feature[]> {
  const path = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_FEATURE : undefined;
  const own: readonly { readonly default: Feature }[] =
    path === undefined ? [] : [await import(pathToFileURL(path).href)];
  const listed = [...features, ...own.map((module) => module.default)];
  checkFeatures(listed);
  return listed;
}
