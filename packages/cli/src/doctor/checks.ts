// The table of all checks.
import type { Check } from "./check.ts";
import { configReadable } from "./checks/config-readable.ts";
import { dataWritable } from "./checks/data-writable.ts";
import { databasePrivate } from "./checks/database-private.ts";
import { databaseSize } from "./checks/database-size.ts";
import { databaseSound } from "./checks/database-sound.ts";
import { folderVariables } from "./checks/folder-variables.ts";
import { hostAnswers } from "./checks/host-answers.ts";
import { hostFound } from "./checks/host-found.ts";
import { hostVersion } from "./checks/host-version.ts";
import { pluginGone } from "./checks/plugin-gone.ts";
import { pluginListed } from "./checks/plugin-listed.ts";
import { pluginLoads } from "./checks/plugin-loads.ts";
import { promptFrozen } from "./checks/prompt-frozen.ts";
import { rewritersByName } from "./checks/rewriters-by-name.ts";
import { rewritersOnWire } from "./checks/rewriters-on-wire.ts";
import { settingsValid } from "./checks/settings-valid.ts";
import { stalePackage } from "./checks/stale-package.ts";
import { switchedOff } from "./checks/switched-off.ts";
import { teamStore } from "./checks/team-store.ts";
import { terminalPart } from "./checks/terminal-part.ts";
import { upkeepWorks } from "./checks/upkeep-works.ts";

/** All that doctor asks, in the order of its report: what comes first explains what follows. */
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
  upkeepWorks,
  stalePackage,
  terminalPart,
  dataWritable,
  databaseSound,
  databasePrivate,
  databaseSize,
  teamStore,
];
