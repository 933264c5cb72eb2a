// `setup`: plan, diff, question, write, check.
// Folder: Installs and removes the plugin.
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { filesOf, type Scope } from "../host/config-places.ts";
import type { FoundHost } from "../host/find-host.ts";
import { requireHost } from "../host/require-host.ts";
import { type TryOut, tryOut } from "../live/try-out.ts";
import { withProgress } from "../terminal/progress.ts";
import { printLine, type Terminal } from "../terminal/terminal.ts";
import { fetchPackage } from "./fetch-package.ts";
import type { FileChange } from "./file-change.ts";
import type { Mode } from "./mode.ts";
import { notesOn } from "./notes.ts";
import { printOutcome } from "./outcome.ts";
import { planSetup, type Settings } from "./plan.ts";
import { isPathSpec } from "./plugin-identity.ts";
import { askSettings, askToGoOn } from "./questions.ts";
import { bringsTerminalPart, resolveSpec } from "./resolve-wish.ts";
import { shortPath, showChanges } from "./show-plan.ts";
import { writeChanges } from "./write-changes.ts";

export interface SetupRequest {
  readonly scope: Scope;
  readonly mode: Mode;
  readonly directory: string;
  readonly output: "text" | "json";
  readonly spec: string | undefined;
  readonly settings: Settings;
  readonly check: "try" | "skip";
}

/** `setup`: from a clean home to a plugin that was seen at work. */
export async function install(request: SetupRequest, terminal: Terminal): Promise<ExitCode> {
  const { scope, mode, output } = request;
  const say = output === "text" ? (text: string) => printLine(terminal, text) : () => undefined;
  const host = await withProgress(terminal, "Looking for OpenCode", () =>
    requireHost(terminal.env),
  );
  const spec = resolveSpec(request.spec, request.directory);
  say(`${terminal.style.good("✔")} OpenCode ${host.version} at ${shortPath(host.path)}\n`);
  await fetchIfNeeded(request, host, spec, terminal);
  const bare = planChanges(request, spec, request.settings, terminal);
  // Whoever has it already was asked before.
  const settings = mode === "ask" && bare.length > 0 ? await askSettings(request.settings) : null;
  const changes = settings === null ? bare : planChanges(request, spec, settings, terminal);
  if (changes.length === 0) say("The plugin is in the config already: nothing to change.\n");
  else say(`${settings === null ? "" : "\n"}${showChanges(changes, terminal.style)}\n`);
  const notes = notesOn(scope, request.directory, terminal.env);
  for (const note of notes) say(`${terminal.style.warn("!")} ${note}\n`);
  if (changes.length > 0 && mode === "ask") await askToGoOn("Write this?");

  const isWritten = mode !== "dry-run" && changes.length > 0;
  if (isWritten) writeChanges(changes, terminal.env);
  const works =
    mode === "dry-run" || request.check === "skip" ? null : await check(host, request, terminal);
  if (output === "json") {
    const facts = { spec, host, works: works && works === "works", isWritten, notes };
    printOutcome(terminal, { action: "setup", scope, changes, ...facts });
  } else for (const line of closing(mode, works, terminal)) say(line);
  return works === "does-not" ? EXIT.findings : EXIT.done;
}

async function fetchIfNeeded(
  { mode }: SetupRequest,
  host: FoundHost,
  spec: string,
  terminal: Terminal,
): Promise<void> {
  if (isPathSpec(spec) || mode === "dry-run") return;
  const text = `OpenCode fetches ${spec}`;
  await withProgress(terminal, text, () => fetchPackage(host, spec, terminal.env));
}

function planChanges(
  { scope, directory }: SetupRequest,
  spec: string,
  settings: Settings,
  terminal: Terminal,
): readonly FileChange[] {
  const hasTerminalPart = bringsTerminalPart(spec, terminal.env);
  const files = filesOf(scope, terminal.env, directory);
  return planSetup(files, { spec, hasTerminalPart, settings });
}

function check(host: FoundHost, { directory }: SetupRequest, terminal: Terminal): Promise<TryOut> {
  const text = "Starting OpenCode once, to see the plugin at work";
  return withProgress(terminal, text, () => tryOut(host, directory, terminal.env));
}

function closing(mode: Mode, works: TryOut | null, { style }: Terminal): readonly string[] {
  if (mode === "dry-run") return ["Nothing was changed (--dry-run)."];
  const next = [
    "Start opencode as always, and restart it where it runs.",
    "In a session, /ctx-status shows what the runtime does.",
    style.dim("To take it out again: session-runtime setup --remove"),
  ];
  switch (works) {
    case "works":
      return [`${style.good("✔")} The plugin works: seen in OpenCode just now.`, ...next];
    case "does-not":
      return [
        `${style.bad("✘")} The config is written, but the plugin was not seen at work.`,
        "session-runtime doctor finds out why.",
      ];
    case null:
      return [`${style.good("✔")} Done.`, ...next];
  }
}
