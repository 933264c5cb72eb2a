// All slash commands, those of features that are off too.
import type { CommandDeclaration } from "./command.ts";
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

/** What turns on each command that is off, by its name. */
export function offCommands(
  listed: readonly Feature[],
  on: readonly Feature[],
): ReadonlyMap<string, string> {
  const off = listed.filter((feature) => !on.includes(feature));
  return new Map(
    off.flatMap(({ commands = [], turnOn }) =>
      commands.map(({ name }) => [name, turnOn ?? ""] as const),
    ),
  );
}

/** Where settings go, and what reads them when it starts. */
interface SettingsHome {
  readonly file: string;
  readonly host: string;
}

/** In sentences. */
export function howToTurnOn(name: string, turnOn: string, { file, host }: SettingsHome): string {
  return `/${name} is off by your settings. To turn it on, put this into\n${file} and restart ${host}:\n\n{ ${turnOn} }`;
}
