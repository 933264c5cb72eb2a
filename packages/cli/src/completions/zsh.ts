// Renders the completions for zsh.
import { type CommandWords, type Flag, PROGRAM } from "./words.ts";

export function zshScript(commands: readonly CommandWords[]): string {
  const described = commands.map(({ name, says }) => `    '${name}:${quoted(says)}'`);
  const cases = commands.map(({ name, flags, choices }) => {
    const word = choices.length > 0 ? `'1:word:(${choices.join(" ")})'` : "'*::word:_default'";
    return `    ${name}) _arguments ${[...flags.map(flagSpec), word].join(" ")} ;;`;
  });
  return `#compdef ${PROGRAM}
# Completions of ${PROGRAM} for zsh: ${PROGRAM} completions zsh
_session_runtime() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT -= 1 ))
  case "$command" in
${cases.join("\n")}
  esac
}
# By eval the function is made known; as a file in fpath it is called.
if [[ "$funcstack[1]" = "_session_runtime" ]]; then
  _session_runtime "$@"
else
  compdef _session_runtime ${PROGRAM}
fi
`;
}

function flagSpec({ name, says, value }: Flag): string {
  const head = `${name}[${bracketed(says)}]`;
  switch (value.kind) {
    case "none":
      return `'${head}'`;
    case "one-of":
      return `'${head}:value:(${value.values.join(" ")})'`;
    case "file":
      return `'${head}:file:_files'`;
    case "text":
      return `'${head}:value: '`;
  }
}

function quoted(text: string): string {
  return text.replaceAll("'", "'\\''").replaceAll(":", "\\:");
}

function bracketed(text: string): string {
  return text.replaceAll("'", "'\\''").replace(/[[\]:]/g, "\\$&");
}
