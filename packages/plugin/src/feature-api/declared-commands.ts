// Lists all slash commands, including those of features that are off.
import type { ActionCommand, CommandDeclaration } from "./command.ts";
import type { Feature } from "./feature.ts";

const statusCommand: CommandDeclaration = {
  name: "ctx-status",
  title: "Status",
  description: "Show what this session costs, what its context holds, and what needs action",
  shows: "report",
};

/** Lists the runtime's own commands, and those of these features. */
export function listDeclaredCommands(
  features: readonly Pick<Feature, "commands">[],
): readonly CommandDeclaration[] {
  return [statusCommand, ...features.flatMap(({ commands }) => commands ?? [])];
}

/** Maps the former names of all commands to their present names. */
export function mapFormerCommandNames(
  listed: readonly Pick<Feature, "commands">[],
): ReadonlyMap<string, string> {
  return new Map(
    listDeclaredCommands(listed).flatMap(({ name, formerNames = [] }) =>
      formerNames.map((former) => [former, name] as const),
    ),
  );
}

/** Declares former names as commands, for a host that runs only commands that it lists. */
export function declareFormerCommands(
  listed: readonly Pick<Feature, "commands">[],
): readonly CommandDeclaration[] {
  return [...mapFormerCommandNames(listed)].map(([name, now]) => ({
    ...{ name, title: `Now /${now}`, description: `Former name of /${now}`, shows: "answer" },
  }));
}

/** Maps each command that is off to the setting that turns it on. */
export function mapDisabledCommands(
  listed: readonly Feature[],
  on: readonly Feature[],
): ReadonlyMap<string, string> {
  const off = listed.filter((feature) => !on.includes(feature));
  return new Map(
    off.flatMap(({ commands = [], enableHint }) =>
      commands.map(({ name }) => [name, enableHint ?? ""] as const),
    ),
  );
}

/**
 * Declares the commands that are off, for a host that can't list them otherwise: each one only says how to
 * turn it on.
 */
export function declareDisabledCommands(
  listed: readonly Feature[],
  on: readonly Feature[],
): readonly CommandDeclaration[] {
  const off = mapDisabledCommands(listed, on);
  return listDeclaredCommands(listed)
    .filter(({ name }) => off.has(name))
    .map(({ name, title }) => ({
      name,
      title,
      description: DISABLED_DESCRIPTION,
      shows: "answer",
    }));
}

/** Declares all commands for a host that runs only those that it lists: those that are on, off, and renamed. */
export function declareHostCommands(
  listed: readonly Feature[],
  on: readonly Feature[],
): readonly CommandDeclaration[] {
  return [
    ...listDeclaredCommands(on),
    ...declareDisabledCommands(listed, on),
    ...declareFormerCommands(listed),
  ];
}

export const DISABLED_DESCRIPTION = "Turned off in your settings; shows how to turn it on";

/** Creates commands in place of those that are off; each answers how to turn it on. */
export function createDisabledCommands(
  off: ReadonlyMap<string, string>,
  home: SettingsPlace,
): readonly ActionCommand[] {
  return [...off].map(([name, turnOn]) => ({
    kind: "action",
    name,
    dialog: () => null,
    act: async () => ({ text: explainEnabling(name, turnOn, home), shownBy: "note" }),
  }));
}

export const OPENCODE_SETTINGS: SettingsPlace = {
  file: "~/.config/opencode/session-runtime.jsonc",
  step: "restart OpenCode",
};

/** The settings file, and the step that makes the host read it, such as `restart OpenCode`. */
interface SettingsPlace {
  readonly file: string;
  readonly step: string;
}

/** Explains how to turn a command on. */
export function explainEnabling(
  name: string,
  turnOn: string,
  { file, step }: SettingsPlace,
): string {
  return `/${name} is turned off in your settings. To turn it on, add this to\n${file} and ${step}:\n\n{ ${turnOn} }`;
}
