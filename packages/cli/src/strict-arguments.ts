// Refuses flags and words that a command doesn't take, and suggests what a mistyped one meant.
import { type ParseArgsConfig, parseArgs } from "node:util";
import { computeEditDistance } from "@session-runtime/opencode/config/suggest";
import type { ArgDef, ArgsDef } from "citty";
import { misuse } from "./cli-error.ts";
import { typed } from "./invocation.ts";

/** Checks flags, because citty accepts any, and a mistyped one must not be ignored. */
export function checkArguments(words: readonly string[], args: ArgsDef, command: string): void {
  const help = `${typed(`${command} --help`)} lists what it takes.`;
  const options = listOptions(args);
  const { tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = options[token.name];
    const hasValue = token.value !== undefined;
    if (option === undefined) {
      const meant = nearest(token.name, Object.keys(options));
      const advice = meant === undefined ? help : `Did you mean --${meant}? ${help}`;
      throw misuse(`There is no option ${token.rawName}.`, advice);
    }
    if (option.type === "string" && (!hasValue || token.value === "")) {
      throw misuse(`${token.rawName} needs a value.`, help);
    }
    const choices = listChoices(args[token.name]);
    if (token.value !== undefined && choices.length > 0 && !choices.includes(token.value)) {
      const meant = nearest(token.value, choices);
      const advice = meant === undefined ? help : `Did you mean ${meant}? ${help}`;
      const message = `${token.rawName} takes one of ${choices.join(", ")}, not ${token.value}.`;
      throw misuse(message, advice);
    }
    if (option.type === "boolean" && hasValue) {
      throw misuse(`${token.rawName} takes no value.`, help);
    }
  }
  checkWords(tokens.filter(({ kind }) => kind === "positional").length);

  function checkWords(given: number) {
    const wanted = Object.entries(args).filter(([, { type }]) => type === "positional");
    const needed = wanted.filter(([, arg]) => arg.required !== false && arg.default === undefined);
    const missing = needed[given];
    if (missing !== undefined) throw misuse(`<${missing[0]}> is missing.`, help);
    if (given > wanted.length) throw misuse("There are too many arguments.", help);
  }
}

/** Returns an argument's choices; empty for arguments without any. */
function listChoices(arg: ArgDef | undefined): readonly string[] {
  return arg?.type === "enum" ? (arg.options ?? []) : [];
}

type Options = NonNullable<ParseArgsConfig["options"]>;

function listOptions(args: ArgsDef): Options {
  const options: Options = {};
  for (const [name, arg] of Object.entries(args)) {
    if (arg.type === "positional") continue;
    const aliases = "alias" in arg ? [arg.alias ?? []].flat() : [];
    const short = aliases.find((letter) => letter.length === 1);
    const type = arg.type === "boolean" || arg.type === undefined ? "boolean" : "string";
    options[name] = short === undefined ? { type } : { type, short };
    if (type === "boolean" && "default" in arg && arg.default === true) {
      options[`no-${name}`] = { type };
    }
  }
  return options;
}

/** Returns the candidate that a mistyped word most likely meant, if any is similar. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: computeEditDistance(word, candidate) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  if (best === undefined) return undefined;
  const isPrefix = word.length > 1 && best.candidate.startsWith(word);
  // A short word must not match everything.
  const isNear = best.distance <= Math.min(2, word.length - 1);
  return isPrefix || isNear ? best.candidate : undefined;
}
