// `session-runtime setup`: its flags.
import { misuse } from "../cli-error.ts";
import { command, JSON_FLAG } from "../command.ts";
import type { Scope } from "../host/config-places.ts";
import { install } from "../setup/install.ts";
import type { LauncherWish } from "../setup/launcher.ts";
import { chooseMode } from "../setup/mode.ts";
import type { Settings } from "../setup/plan.ts";
import { remove } from "../setup/remove.ts";

/** `session-runtime setup`. */
export const setup = command({
  name: "setup",
  summary: "Adds Session Runtime to OpenCode and Pi, or removes it.",
  details: [
    "It shows what it will change and asks before it writes. Comments and formatting of your config stay",
    "as they are, and --remove restores every byte. Run it again to update the version.",
    "It also installs the command session-runtime, which starts this command line from any folder.",
  ],
  args: {
    global: { type: "boolean", description: "Your own config, for all projects (default)" },
    project: {
      type: "boolean",
      description: "This project's config, for everyone who works on it",
    },
    host: {
      type: "enum",
      options: ["opencode", "pi"],
      description: "Only this host (default: every one that is found)",
    },
    remove: { type: "boolean", description: "Remove the plugin and restore the config" },
    yes: { type: "boolean", alias: "y", description: "Write without asking" },
    "dry-run": { type: "boolean", description: "Show what would change, write nothing" },
    spec: {
      type: "string",
      valueHint: "npm spec or path",
      description: "The package to add (default: this version's)",
    },
    replace: {
      type: "boolean",
      description: "Remove plugins that do the same work (Dynamic Context Pruning, Magic Context)",
    },
    recovery: {
      type: "enum",
      options: ["ask", "auto", "off"],
      description: "After a crash: show unanswered prompts, send them again, or leave them alone",
    },
    lowering: {
      type: "enum",
      options: ["wrapped", "auto", "native"],
      description:
        "Send updates in the provider's own instruction role where it has one, or as text",
    },
    launcher: {
      type: "string",
      valueHint: "folder",
      description: "The folder for the command session-runtime (default: one of yours on PATH)",
    },
    "no-launcher": { type: "boolean", description: "Don't install the command session-runtime" },
    check: {
      type: "boolean",
      default: true,
      description: "Start each host once to check that the plugin works",
      negativeDescription: "Don't start the hosts to check that the plugin works",
    },
    ...JSON_FLAG,
  },
  examples: [
    { line: "session-runtime setup", does: "shows the diff, asks, writes" },
    {
      line: "session-runtime setup --yes --json",
      does: "for scripts: no question, a JSON result",
    },
    {
      line: "session-runtime setup --project --dry-run",
      does: "shows what it would change in this project",
    },
    { line: "session-runtime setup --remove", does: "restores everything as it was before" },
  ],
  run: async (args, terminal) => {
    if (args.global && args.project) {
      throw misuse("--global and --project can't be combined.", "Choose one of them.");
    }
    const scope: Scope = args.project ? "project" : "global";
    const output = args.json ? "json" : "text";
    const flags = { yes: args.yes === true, dryRun: args["dry-run"] === true };
    const mode = chooseMode({ ...flags, json: args.json === true }, terminal);
    const directory = process.cwd();
    const hosts = args.host ?? "found";
    if (args.remove) return remove({ scope, hosts, mode, directory, output }, terminal);
    const check = args.check ? "try" : "skip";
    const settings = parseSettings(args.recovery, args.lowering);
    const sameWork = args.replace ? "take-out" : "ask";
    const launcher = parseLauncher(args.launcher);
    const wanted = { spec: args.spec, settings, check, sameWork, launcher } as const;
    return install({ scope, hosts, mode, directory, output, ...wanted }, terminal);
  },
});

/** Parses `--no-launcher`, for which the parser gives false, whatever the type of the flag. */
function parseLauncher(given: unknown): LauncherWish {
  if (given === false) return { kind: "none" };
  return typeof given === "string" ? { kind: "folder", folder: given } : { kind: "usual" };
}

function parseSettings(recovery: string | undefined, lowering: string | undefined): Settings {
  const settings = new Map<"recovery" | "lowering", string>();
  if (recovery !== undefined) settings.set("recovery", recovery);
  if (lowering !== undefined) settings.set("lowering", lowering);
  return settings;
}
