// The slash commands' names and descriptions, and their place in the host's config.
import type { CommandDeclaration } from "../feature-api/command.ts";
import type { HostConfigInput } from "./host-config.ts";

/**
 * Builds the text that the model would get if the host ever ran the command itself; it also marks a command as
 * ours.
 */
function commandTemplate(name: string): string {
  return `Session Runtime answers /${name} itself.`;
}

/** Adds our commands to the host's config; a user's own command of the same name is kept. */
export function registerCommands(
  config: HostConfigInput,
  declared: readonly CommandDeclaration[],
): void {
  const registered = config.command ?? {};
  for (const { name, description } of declared) {
    registered[name] ??= { template: commandTemplate(name), description };
  }
  config.command = registered;
}

/** Says whether the host's config holds the command as we registered it, and not one of the user's own. */
export function isOurs(config: HostConfigInput, name: string): boolean {
  return config.command?.[name]?.template === commandTemplate(name);
}
