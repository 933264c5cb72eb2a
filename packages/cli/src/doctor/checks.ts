// Lists all checks.
import { configReadable, folderVariables, settingsValid, switchedOff } from "./checks/config.ts";
import { databasePrivate, databaseSize, databaseSound, dataWritable } from "./checks/database.ts";
import { hostAnswers, hostFound, hostVersion } from "./checks/host.ts";
import { modelsOffered } from "./checks/models.ts";
import {
  piFound,
  piListed,
  piLoads,
  piSessions,
  piSettingsReadable,
  piVersion,
} from "./checks/pi.ts";
import {
  pluginGone,
  pluginListed,
  pluginLoads,
  stalePackage,
  terminalPart,
} from "./checks/plugin.ts";
import { indexesUsable } from "./checks/search-index.ts";
import { secretsMasked } from "./checks/secrets.ts";
import { promptFrozen, rewritersByName, rewritersOnWire } from "./checks/sent.ts";
import { teamStore } from "./checks/team-store.ts";
import { maintenanceWorks } from "./checks/upkeep-works.ts";
import { vectorsAnswer } from "./checks/vectors.ts";
import type { Check } from "./finding.ts";

/** Lists all checks in the order of the report: earlier findings explain later ones. */
export const CHECKS: readonly Check[] = [
  folderVariables,
  hostFound,
  hostVersion,
  configReadable,
  hostAnswers,
  switchedOff,
  pluginGone,
  pluginListed,
  pluginLoads,
  promptFrozen,
  rewritersOnWire,
  rewritersByName,
  settingsValid,
  modelsOffered,
  maintenanceWorks,
  vectorsAnswer,
  stalePackage,
  terminalPart,
  piFound,
  piVersion,
  piSettingsReadable,
  piListed,
  piLoads,
  dataWritable,
  databaseSound,
  piSessions,
  databasePrivate,
  databaseSize,
  secretsMasked,
  indexesUsable,
  teamStore,
];
