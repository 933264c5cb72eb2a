// Lists all slash commands, including those of features that are off.
import type { ActionCommand, CommandDeclaration } from "./command.ts";
import type { Feature } from "./feature.ts";

const status: CommandDeclaration = {
  name: "ctx-status",
  title: "Status",
  description: "Show what this session costs, what its context holds, and what needs action",
  shows: "report",
};

/** The runtime's own, and those of these features. */
export function declaredCommands(
  features: readonly Pick<Feature, "commands">[],
): readonly CommandDeclaration[] {
  return [status, ...features.flatMap(({ commands }) => commands ?? [])];
}

/** Maps the former names of all commands to their present names. */
export function formerCommandNames(
  listed: readonly Pick<Feature, "commands">[],
): ReadonlyMap<string, string> {
  return new Map(
    declaredCommands(listed).flatMap(({ name, formerNames = [] }) =>
      formerNames.map((former) => [former, name] as const),
    ),
  );
}

/** Declares former names as commands, for a host that runs only commands that it lists. */
export function formerDeclarations(
  listed: readonly Pick<Feature, "commands">[],
): readonly CommandDeclaration[] {
  return [...formerCommandNames(listed)].map(([name, now]) => ({
    ...{ name, title: `Now /${now}`, description: `Former name of /${now}`, shows: "answer" },
  }));
}

/** Maps each command that is off to the setting that turns it on. */
export function offCommands(
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
 * Declares the commands that are off, for a host that can't list them otherwise: each only says how to
 * turn it on.
 */
export function offDeclarations(
  listed: readonly Feature[],
  on: readonly Feature[],
): readonly CommandDeclaration[] {
  const off = offCommands(listed, on);
  return declaredCommands(listed)
    .filter(({ name }) => off.has(name))
    .map(({ name, title }) => ({ name, title, description: OFF_DESCRIPTION, shows: "answer" }));
}

/** Declares all commands for a host that runs only those that it lists: those that are on, off, and renamed. */
export function hostDeclarations(
  listed: readonly Feature[],
  on: readonly Feature[],
): readonly CommandDeclaration[] {
  return [...declaredCommands(on), ...offDeclarations(listed, on), ...formerDeclarations(listed)];
}

export const OFF_DESCRIPTION = "Turned off in your settings; shows how to turn it on";

/** Answers the commands that are off. */
export function offAnswers(
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

/** The file of the settings, and the step that has them read, such as `restart OpenCode`. */
interface SettingsPlace {
  readonly file: string;
  readonly step: string;
}

/** Explains in sentences how to turn a command on. */
export function explainEnabling(
  name: string,
  turnOn: string,
  { file, step }: SettingsPlace,
): string {
  return `/${name} is turned off in your settings. To turn it on, add this to\n${file} and ${step}:\n\n{ ${turnOn} }`;
}
