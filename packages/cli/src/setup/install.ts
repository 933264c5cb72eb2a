// `setup`: from a clean home to a plugin that was seen at work.
// Folder: Installs and removes the plugin.
import { CliError, EXIT, type ExitCode } from "../cli-error.ts";
import { filesOf, type Scope } from "../host/config-places.ts";
import { onEarlyEnd } from "../host/early-end.ts";
import type { FoundHost } from "../host/find-host.ts";
import { placesOf } from "../host/places.ts";
import { requireHost } from "../host/require-host.ts";
import { startedAs, startedProgram } from "../invocation.ts";
import { withProgress } from "../terminal/progress.ts";
import { printLine, type Terminal } from "../terminal/terminal.ts";
import { writeChanges } from "./apply.ts";
import { checkSpec } from "./check-spec.ts";
import { fetchPackage } from "./fetch-package.ts";
import type { FileChange } from "./file-change.ts";
import { importComplaint } from "./import-plugin.ts";
import { journalPath, specsOfSetup } from "./journal.ts";
import { type LauncherWish, planLauncher } from "./launcher.ts";
import type { Mode } from "./mode.ts";
import { notesOn } from "./notes.ts";
import { offerEstimate } from "./offer-estimate.ts";
import { deadEntries, planSetup, type Settings } from "./plan.ts";
import { isPathSpec } from "./plugin-identity.ts";
import { askSettings, askToGoOn, askToTakeOut } from "./questions.ts";
import { bringsTerminalPart, resolveSpec, settingsSchemaOf } from "./resolve-wish.ts";
import { type SameWork, sameWorkInFiles } from "./same-work.ts";
import { printOutcome, shortPath, showChanges } from "./show-plan.ts";
import { type TryOut, tryOut } from "./try-out.ts";

interface SetupRequest {
  readonly scope: Scope;
  readonly mode: Mode;
  readonly directory: string;
  readonly output: "text" | "json";
  readonly spec: string | undefined;
  readonly settings: Settings;
  readonly check: "try" | "skip";
  /** Whether plugins that do the same work are taken out without a question. */
  readonly sameWork: "take-out" | "ask";
  readonly launcher: LauncherWish;
}

const WHAT_IT_DOES =
  "Session Runtime keeps OpenCode's prompt cache working: what was sent stays unchanged, and changes follow as short updates.";

export async function install(request: SetupRequest, terminal: Terminal): Promise<ExitCode> {
  const written: FileChange[] = [];
  const settled = onEarlyEnd(() => terminal.err.write(interruption(written, request)));
  try {
    return await carryOut(request, terminal, written);
  } finally {
    settled();
  }
}

async function carryOut(
  request: SetupRequest,
  terminal: Terminal,
  written: FileChange[],
): Promise<ExitCode> {
  const { scope, mode, output, directory } = request;
  const { env, style } = terminal;
  const say = output === "text" ? (text: string) => printLine(terminal, text) : () => undefined;
  const host = await withProgress(terminal, "Looking for OpenCode", () => requireHost(env));
  const spec = resolveSpec(request.spec, directory);
  checkSpec(spec);
  say(WHAT_IT_DOES);
  say(`${style.good("✔")} OpenCode ${host.version} at ${shortPath(host.path)}\n`);
  await makeSureItLoads(request, host, spec, terminal);
  const takenOut = await chooseSameWork(request, terminal);
  const wish = { spec, takenOut, settings: request.settings };
  const bare = planChanges(request, wish, terminal);
  // Whoever has it already was asked before.
  if (mode === "ask" && bare.length > 0) await offerEstimate(env);
  const settings = mode === "ask" && bare.length > 0 ? await askSettings(request.settings) : null;
  const inConfig = settings === null ? bare : planChanges(request, { ...wish, settings }, terminal);
  const launcher = planLauncher(request.launcher, startedProgram(), {
    env,
    platform: process.platform,
  });
  const changes = launcher.change === null ? inConfig : [...inConfig, launcher.change];
  if (inConfig.length === 0) say("The config already lists the plugin: nothing to change in it.\n");
  if (changes.length > 0) say(`${settings === null ? "" : "\n"}${showChanges(changes, style)}\n`);
  const notes = [
    ...deadEntries(inConfig).map(
      ({ file, spec: gone }) =>
        `${shortPath(file)} lists ${shortPath(gone)}, which no longer exists: that entry goes.`,
    ),
    ...notesOn({ scope, directory, env, takenOut, command: startedAs() }),
    ...(launcher.note === null ? [] : [launcher.note]),
  ];
  for (const note of notes) say(`${style.warn("!")} ${note}\n`);
  if (changes.length > 0 && mode === "ask") await askToGoOn("Write these changes?");

  const isWritten = mode !== "dry-run" && changes.length > 0;
  if (isWritten) {
    writeChanges(inConfig, { spec, launcher: launcher.change }, env);
    written.push(...changes);
  }
  const works =
    mode === "dry-run" || request.check === "skip" ? null : await check(host, request, terminal);
  if (output === "json") {
    const facts = { spec, host, works: works && works === "works", isWritten, notes };
    printOutcome(terminal, { action: "setup", scope, changes, ...facts });
  } else for (const line of closing(request, works, isWritten, terminal)) say(line);
  return works === "does-not" ? EXIT.findings : EXIT.done;
}

/** Before any config names it: a plugin that can't be had or loaded leaves everything as it is. */
async function makeSureItLoads(
  { mode, check: checking, directory }: SetupRequest,
  host: FoundHost,
  spec: string,
  terminal: Terminal,
): Promise<void> {
  if (mode === "dry-run") return;
  if (!isPathSpec(spec)) {
    const text = `OpenCode is fetching ${spec}`;
    await withProgress(terminal, text, () => fetchPackage(host, spec, terminal.env));
  }
  if (checking === "skip") return;
  const complaint = await importComplaint(host, spec, directory, terminal.env);
  if (complaint === null) return;
  throw new CliError(
    "plugin-fails",
    `OpenCode can't load ${spec}: ${complaint}.`,
    "Nothing was changed. For a clone, run `npm install` in it first; for a package, name another version with --spec.",
  );
}

async function chooseSameWork(
  { scope, mode, directory, sameWork }: SetupRequest,
  { env }: Terminal,
): Promise<ReadonlySet<string>> {
  const found = sameWorkInFiles(filesOf(scope, env, directory));
  const chosen = async (): Promise<readonly SameWork[]> => {
    if (sameWork === "take-out") return found;
    return mode === "ask" ? askToTakeOut(found) : [];
  };
  return new Set((await chosen()).map(({ spec }) => spec));
}

function planChanges(
  { scope, directory }: SetupRequest,
  wish: {
    readonly spec: string;
    readonly takenOut: ReadonlySet<string>;
    readonly settings: Settings;
  },
  { env }: Terminal,
): readonly FileChange[] {
  const hasTerminalPart = bringsTerminalPart(wish.spec, env);
  const settingsSchema = settingsSchemaOf(wish.spec);
  const recorded = specsOfSetup(journalPath(placesOf(env).runtimeData));
  const files = filesOf(scope, env, directory);
  return planSetup(files, { ...wish, hasTerminalPart, settingsSchema }, recorded);
}

function check(host: FoundHost, { directory }: SetupRequest, terminal: Terminal): Promise<TryOut> {
  const text = "Starting OpenCode once to see the plugin work";
  return withProgress(terminal, text, () => tryOut(host, directory, terminal.env));
}

function closing(
  { mode, scope }: SetupRequest,
  works: TryOut | null,
  isWritten: boolean,
  terminal: Terminal,
): readonly string[] {
  if (mode === "dry-run") return ["Nothing was changed (--dry-run)."];
  const { style } = terminal;
  const next = [
    "Start OpenCode as usual; restart it if it is running.",
    "In a session, /ctx-status shows what Session Runtime does.",
    style.dim(`To remove it: ${removal(scope)}`),
  ];
  switch (works) {
    case "works":
      return [
        `${style.good("✔")} It works: OpenCode was started once and used the plugin.`,
        ...next,
      ];
    case "does-not":
      return [
        `${style.bad("✘")} ${isWritten ? "The config is written" : "The config names the plugin"}, but OpenCode did not use it.`,
        `${startedAs()} doctor finds out why; ${removal(scope)} removes it.`,
      ];
    case null:
      return [`${style.good("✔")} Done.`, ...next];
  }
}

/** For whoever breaks off: what stands now, and how to undo it. */
function interruption(written: readonly FileChange[], { scope }: SetupRequest): string {
  if (written.length === 0) return "\nInterrupted. Nothing was changed.\n";
  const files = written.map(({ path }) => shortPath(path)).join(", ");
  return [
    "",
    `Interrupted. The config is written, but OpenCode was not seen using the plugin. Changed: ${files}`,
    `To undo it: ${removal(scope)}`,
    "",
  ].join("\n");
}

function removal(scope: Scope): string {
  return `${startedAs()} setup --remove${scope === "project" ? " --project" : ""}`;
}
