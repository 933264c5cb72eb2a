// Says where Pi's users keep the runtime's settings: in Pi's own folders, over those that all hosts read.
import { join } from "node:path";
import type { SettingsFolders } from "@session-runtime/opencode/config/places";
import { agentFolder } from "./instructions.ts";

export function piFolders(): SettingsFolders {
  return { user: [agentFolder(process.env)], inProject: [".pi"] };
}

/** Returns the file for settings of Pi alone. */
export function ownSettings(): string {
  return join(agentFolder(process.env), "session-runtime.jsonc");
}

/** Describes the files that were read, for a report. */
export function settingsLine(files: readonly string[]): string {
  return files.length === 0
    ? `Settings: none. Yours go into ${ownSettings()}.`
    : `Settings: ${files.join(", ")}. For Pi alone: ${ownSettings()}.`;
}
