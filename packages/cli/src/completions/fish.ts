// Renders the completions for fish.
import { type CommandWords, type Flag, PROGRAM } from "./words.ts";

export function fishScript(commands: readonly CommandWords[]): string {
  const names = commands.map(
    ({ name, says }) =>
      `complete -c ${PROGRAM} -f -n __fish_use_subcommand -a ${name} -d ${quoted(says)}`,
  );
  const flags = commands.flatMap(({ name, flags: all }) =>
    all.map(
      (flag) => `complete -c ${PROGRAM} -n '__fish_seen_subcommand_from ${name}' ${flagSpec(flag)}`,
    ),
  );
  const choices = commands
    .filter((command) => command.choices.length > 0)
    .map(
      ({ name, choices: words }) =>
        `complete -c ${PROGRAM} -f -n '__fish_seen_subcommand_from ${name}' -a '${words.join(" ")}'`,
    );
  return `# Completions of ${PROGRAM} for fish: ${PROGRAM} completions fish
complete -c ${PROGRAM} -f
${names.join("\n")}
${choices.join("\n")}
${flags.join("\n")}
`;
}

function flagSpec({ name, says, value }: Flag): string {
  const head = `-l ${name.slice(2)} -d ${quoted(says)}`;
  switch (value.kind) {
    case "none":
      return head;
    case "one-of":
      return `${head} -x -a '${value.values.join(" ")}'`;
    case "file":
      return `${head} -r -F`;
    case "text":
      return `${head} -x`;
  }
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}
