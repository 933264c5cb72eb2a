// Renders the completions for bash.
import { type CommandWords, type Flag, PROGRAM } from "./words.ts";

export function bashScript(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap((flag) => valueCase(name, flag)),
  );
  const words = commands.map(({ name, choices, flags }) => {
    const all = [...choices, ...flags.map((flag) => flag.name)].join(" ");
    return `      ${name}) words="${all}" ;;`;
  });
  return `# Completions of ${PROGRAM} for bash: ${PROGRAM} completions bash
_session_runtime() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}:$previous" in
${values.join("\n")}
    *) case "\${COMP_WORDS[1]}" in
${words.join("\n")}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o bashdefault -o default -F _session_runtime ${PROGRAM}
`;
}

/** Renders a flag's value as a line of a `case`. */
function valueCase(command: string, { name, value }: Flag): readonly string[] {
  const pattern = `    ${command}:${name})`;
  switch (value.kind) {
    case "one-of":
      return [`${pattern} words="${value.values.join(" ")}" ;;`];
    case "file":
      return [`${pattern} COMPREPLY=($(compgen -f -- "$current")); return ;;`];
    case "text":
      return [`${pattern} return ;;`];
    case "none":
      return [];
  }
}
