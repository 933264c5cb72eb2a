// The list of features; adding one touches its folder and this list.
import { pathToFileURL } from "node:url";
import { augmentFeature } from "./augment/feature.ts";
import { terminalUi } from "./channel/feature.ts";
import { commitsFeature } from "./commits/feature.ts";
import { continuity } from "./continuity/feature.ts";
import type { Feature } from "./features/feature.ts";
import { historianFeature } from "./historian/feature.ts";
import { inbox } from "./inbox/feature.ts";
import { jobsFeature } from "./jobs/feature.ts";
import { keyFilesFeature } from "./key-files/feature.ts";
import { letGoFeature } from "./let-go/feature.ts";
import { lowering } from "./lowering/feature.ts";
import { memoryFeature } from "./memory/feature.ts";
import { nudgesFeature } from "./nudges/feature.ts";
import { profileFeature } from "./profile/feature.ts";
import { recallFeature } from "./recall/feature.ts";
import { historyFeature } from "./rewrites/feature.ts";
import { searchHintsFeature } from "./search-hints/feature.ts";
import { smartNotesFeature } from "./smart-notes/feature.ts";
import { customSources } from "./sources/custom/feature.ts";
import { teamFeature } from "./team/feature.ts";
import { timeMarksFeature } from "./time-marks/feature.ts";
import { toolOutput } from "./tool-output/feature.ts";
import { traces } from "./traces/feature.ts";
import { upkeepFeature } from "./upkeep/feature.ts";
import { vectorsFeature } from "./vectors/feature.ts";

const features: readonly Feature[] = [
  // First: a span holds what the others do.
  traces,
  // Before what hears that a session has settled: the queue has its turn first.
  inbox,
  continuity,
  toolOutput,
  lowering,
  recallFeature,
  commitsFeature,
  historyFeature,
  letGoFeature,
  memoryFeature,
  // After those whose texts it is about: a session's newest are indexed by then.
  vectorsFeature,
  // After memory, whose rows its triggers watch.
  teamFeature,
  smartNotesFeature,
  keyFilesFeature,
  profileFeature,
  historianFeature,
  upkeepFeature,
  jobsFeature,
  // After history: what it takes away needs no reminder.
  nudgesFeature,
  timeMarksFeature,
  searchHintsFeature,
  augmentFeature,
  customSources,
  // Last: what an event changes is stored by then.
  terminalUi,
];

/**
 * All features, and in tests the one that the environment names by path: a module whose default export
 * is a feature. Elsewhere there is no such seam.
 */
export async function loadFeatures(env: NodeJS.ProcessEnv): Promise<readonly Feature[]> {
  const path = env.SESSION_RUNTIME_TEST === "1" ? env.SESSION_RUNTIME_TEST_FEATURE : undefined;
  if (path === undefined) return features;
  const module: { readonly default: Feature } = await import(pathToFileURL(path).href);
  return [...features, module.default];
}
