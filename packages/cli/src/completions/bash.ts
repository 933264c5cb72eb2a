import { type CommandWords, PROGRAM } from "./words.ts";

export function bashScript(commands: readonly CommandWords[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  const values = commands.flatMap(({ name, flags }) =>
    flags.flatMap((flag) => {
      switch (flag.value.kind) {
        case "one-of":
          return [`    ${name}:${flag.name}) words="${flag.value.values.join(" ")}" ;;`];
        case "file":
          return [`    ${name}:${flag.name}) COMPREPLY=($(compgen -f -- "$current")); return ;;`];
        case "text":
          return [`    ${name}:${flag.name}) return ;;`];
        case "none":
          return [];
      }
    }),
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
