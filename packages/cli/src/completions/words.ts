// Lists every word that can be completed, read from the commands.
// Folder: Shell completions.
import type { ArgDef } from "citty";
import type { CatalogueEntry } from "../command.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** Describes what may follow a flag. */
type FlagValue =
  | { readonly kind: "none" }
  | { readonly kind: "one-of"; readonly values: readonly string[] }
  | { readonly kind: "file" }
  | { readonly kind: "text" };

export interface Flag {
  /** The flag with its dashes. */
  readonly name: string;
  readonly says: string;
  readonly value: FlagValue;
}

export interface CommandWords {
  readonly name: string;
  readonly says: string;
  readonly flags: readonly Flag[];
  /** The known words that may follow without dashes. */
  readonly choices: readonly string[];
}

export const PROGRAM = "session-runtime";

/** Reads every word that can be completed from the commands themselves. */
export function allWords(catalogue: readonly CatalogueEntry[]): Promise<readonly CommandWords[]> {
  return Promise.all(
    catalogue.map(async ({ name, summary, load }) => {
      const { args } = await load();
      const flags = Object.entries(args).flatMap(([flag, arg]) => listFlags(flag, arg));
      const help: Flag = { name: "--help", says: "Show help", value: { kind: "none" } };
      const choices = name === "completions" ? SHELLS : [];
      return { name, says: summary, flags: [...flags, help], choices };
    }),
  );
}

function listFlags(name: string, arg: ArgDef): readonly Flag[] {
  if (arg.type === "positional") return [];
  if (arg.type === "boolean" && arg.default === true) {
    const says = arg.negativeDescription ?? arg.description ?? "";
    return [{ name: `--no-${name}`, says, value: { kind: "none" } }];
  }
  return [{ name: `--${name}`, says: arg.description ?? "", value: flagValue(arg) }];
}

function flagValue(arg: ArgDef): FlagValue {
  switch (arg.type) {
    case "enum":
      return { kind: "one-of", values: arg.options ?? [] };
    case "string":
      return /file|folder|path/.test(arg.valueHint ?? "") ? { kind: "file" } : { kind: "text" };
    default:
      return { kind: "none" };
  }
}
