// Renders the help of the root and of each command, with examples.
import type { ArgDef } from "citty";
import stringWidth from "fast-string-width";
import type { CatalogueEntry, Command } from "./command.ts";
import { startedAs, typed } from "./invocation.ts";
import type { Style } from "./terminal/style.ts";

const NAME = "session-runtime";

/** Renders `session-runtime --help`. */
export function rootHelp(
  style: Style,
  version: string,
  catalogue: readonly CatalogueEntry[],
): string {
  return [
    `${style.bold(NAME)} ${version}: sets up, checks and shows Session Runtime, a plugin for OpenCode.`,
    "",
    heading("Usage", style),
    `  ${typed("<command> [options]")}`,
    "",
    heading("Commands", style),
    ...columns(catalogue.map(({ name, summary }) => [style.accent(name), summary])),
    "",
    heading("Options", style),
    ...columns([
      [style.accent("-h, --help"), "Show this help, or a command's help after its name"],
      [style.accent("-v, --version"), "Show the version"],
    ]),
    "",
    heading("Examples", style),
    ...columns([
      [typed("setup"), style.dim("adds the plugin to OpenCode and Pi")],
      [typed("doctor"), style.dim("finds out what is wrong and how to fix it")],
    ]),
    "",
  ].join("\n");
}

/** Renders `session-runtime COMMAND --help`. */
export function commandHelp(command: Command, style: Style): string {
  const args = Object.entries(command.args);
  const words = args.filter(([, { type }]) => type === "positional");
  const flags = args.filter(([, { type }]) => type !== "positional");
  const usage = [
    typed(command.name),
    ...words.map(([name, arg]) => (isNeeded(arg) ? `<${name}>` : `[${name}]`)),
    "[options]",
  ];
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", heading(title, style), ...lines];
  return [
    command.summary,
    ...(command.details.length === 0 ? [] : ["", ...command.details]),
    ...section("Usage", [`  ${usage.join(" ")}`]),
    ...section("Arguments", columns(words.map(([name, arg]) => [style.accent(name), says(arg)]))),
    ...section(
      "Options",
      columns([
        ...flags.flatMap(([name, arg]) => flagRows(name, arg, style)),
        [style.accent("-h, --help"), "Show this help"],
      ]),
    ),
    ...section(
      "Examples",
      command.examples.flatMap(({ line, does }) => [
        `  ${asTyped(line)}`,
        `      ${style.dim(does)}`,
      ]),
    ),
    "",
  ].join("\n");
}

/** Renders an example as the user can type it: examples assume that the command is installed. */
function asTyped(line: string): string {
  return line.replace(/^(?:npx )?session-runtime(?= )/, startedAs());
}

function flagRows(name: string, arg: ArgDef, style: Style): [string, string][] {
  if (arg.type === "boolean" && arg.default === true) {
    return [[style.accent(`--no-${name}`), arg.negativeDescription ?? says(arg)]];
  }
  const short = ("alias" in arg ? [arg.alias ?? []].flat() : []).find((text) => text.length === 1);
  const value = formatValueHint(arg);
  const flag = `${short === undefined ? "" : `-${short}, `}--${name}`;
  return [[style.accent(flag) + (value === "" ? "" : ` ${value}`), says(arg)]];
}

/** Renders the value of a flag that takes one. */
function formatValueHint(arg: ArgDef): string {
  if (arg.type === "string") return `<${arg.valueHint ?? "text"}>`;
  return arg.type === "enum" ? `<${(arg.options ?? []).join("|")}>` : "";
}

function says(arg: ArgDef): string {
  const byDefault =
    arg.default === undefined || typeof arg.default === "boolean"
      ? ""
      : ` (default: ${arg.default})`;
  return `${arg.description ?? ""}${byDefault}`;
}

function isNeeded(arg: ArgDef): boolean {
  return arg.required !== false && arg.default === undefined;
}

function heading(text: string, style: Style): string {
  return style.bold(text);
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...rows.map(([left]) => stringWidth(left)));
  return rows.map(([left, right]) =>
    `  ${left}${" ".repeat(width - stringWidth(left))}  ${right}`.trimEnd(),
  );
}
