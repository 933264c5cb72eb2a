// Runs `setup`: from a clean home to a runtime that was seen working in each host.
// Folder: Installs and removes the plugin.
import { EXIT, type ExitCode } from "../cli-error.ts";
import type { Scope } from "../host/config-places.ts";
import { onEarlyEnd } from "../host/early-end.ts";
import { TRIAL_PATIENCE_MS, withinWords } from "../host/patience.ts";
import { piOwnSettings } from "../host/pi-places.ts";
import { startedAs, startedProgram } from "../invocation.ts";
import { printLine, type Terminal } from "../terminal/terminal.ts";
import { writeChanges } from "./apply.ts";
import { chooseParts } from "./choose-parts.ts";
import type { FileChange } from "./file-change.ts";
import { planLauncher } from "./launcher.ts";
import type { Part, PartPlan } from "./part.ts";
import { confirmContinue } from "./questions.ts";
import type { SetupRequest } from "./request.ts";
import { printOutcome, shortPath, showChanges } from "./show-plan.ts";
import type { PluginCheckResult } from "./try-out.ts";

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
  const { scope, mode, output } = request;
  const { env, style } = terminal;
  const say = output === "text" ? (text: string) => printLine(terminal, text) : () => undefined;
  const parts = await chooseParts(request, terminal);
  say(whatItDoes(parts));
  const found = parts.map(
    ({ name, host }) => `${style.good("✔")} ${name} ${host.version} at ${shortPath(host.path)}`,
  );
  say(`${found.join("\n")}\n`);
  if (mode !== "dry-run") for (const part of parts) await part.makeSureItLoads();
  const planned: { readonly part: Part; readonly plan: PartPlan }[] = [];
  for (const part of parts) planned.push({ part, plan: await part.plan() });
  const inConfig = planned.flatMap(({ plan }) => plan.changes);
  const launcher = planLauncher(request.launcher, startedProgram(), {
    env,
    platform: process.platform,
  });
  const changes = launcher.change === null ? inConfig : [...inConfig, launcher.change];
  for (const { part, plan } of planned) if (plan.changes.length === 0) say(`${part.unchanged}\n`);
  const wasAsked = planned.some(({ plan }) => plan.asked === "something");
  if (changes.length > 0) say(`${wasAsked ? "\n" : ""}${showChanges(changes, style)}\n`);
  const notes = [
    ...planned.flatMap(({ plan }) => plan.notes),
    ...(launcher.note === null ? [] : [launcher.note]),
  ];
  for (const note of notes) say(`${style.warn("!")} ${note}\n`);
  if (changes.length > 0 && mode === "ask") await confirmContinue("Write these changes?");

  const isWritten = mode !== "dry-run" && changes.length > 0;
  if (isWritten) {
    const specs = parts.map(({ spec }) => spec);
    writeChanges(inConfig, { specs, launcher: launcher.change }, env);
    written.push(...changes);
  }
  const seen: PartTrial[] = [];
  const isTried = mode !== "dry-run" && request.check === "try";
  for (const part of parts)
    seen.push({ part, works: isTried ? await part.checkPluginWorks() : null });
  if (output === "json") {
    printOutcome(terminal, { action: "setup", scope, changes, isWritten, notes, ...shown(seen) });
  } else for (const line of closing(request, seen, isWritten, terminal)) say(line);
  return seen.some(({ works }) => works === "does-not") ? EXIT.findings : EXIT.done;
}

interface PartTrial {
  readonly part: Part;
  /** The result of the trial; null where the host was not tried. */
  readonly works: PluginCheckResult | null;
}

function whatItDoes(parts: readonly Part[]): string {
  const whose = parts.map(({ name }) => `${name}'s`).join(" and ");
  return `Session Runtime keeps ${whose} prompt cache working: what was sent stays unchanged, and changes follow as short updates.`;
}

function shown(seen: readonly PartTrial[]) {
  const of = (name: Part["name"]) => seen.find(({ part }) => part.name === name);
  const [opencode, pi] = [of("OpenCode"), of("Pi")];
  return {
    spec: opencode?.part.spec ?? null,
    host: opencode?.part.host ?? null,
    works: isWorking(opencode),
    pi: pi === undefined ? null : { ...placed(pi.part), works: isWorking(pi) },
  };
}

function placed({ spec, host: { path, version } }: Part) {
  return { spec, path, version };
}

function isWorking(seen: PartTrial | undefined): boolean | null {
  if (seen === undefined || seen.works === null || seen.works === "unseen") return null;
  return seen.works === "works";
}

/** Returns the closing lines of a run. */
export function closing(
  request: SetupRequest,
  seen: readonly PartTrial[],
  isWritten: boolean,
  { style, env }: Terminal,
): readonly string[] {
  if (request.mode === "dry-run") return ["Nothing was changed (--dry-run)."];
  const names = seen.map(({ part }) => part.name).join(" and ");
  const them = seen.length === 1 ? "it if it is" : "them if they are";
  const next = [
    `Start ${names} as usual; restart ${them} running.`,
    "In a session, /ctx-status shows what Session Runtime does.",
    ...(names.includes("Pi")
      ? [`Settings for Pi alone go into ${shortPath(piOwnSettings(env))}.`]
      : []),
    style.dim(`To remove it: ${removal(request)}`),
  ];
  const failed = seen.filter(({ works }) => works === "does-not");
  if (failed.length > 0) {
    return failed.flatMap(({ part }) => [
      `${style.bad("✘")} ${isWritten ? "The config is written" : "The config names the plugin"}, but ${part.name} did not use the plugin.`,
      `${startedAs()} doctor finds out why; ${removal(request)} removes it.`,
    ]);
  }
  const unseen = seen.filter(({ works }) => works === "unseen");
  if (unseen.length > 0) {
    return [...unseen.map(({ part }) => `${style.warn("!")} ${doubt(part, isWritten)}`), ...next];
  }
  const working = seen.filter(({ works }) => works === "works");
  if (working.length === 0) return [`${style.good("✔")} Done.`, ...next];
  return [...working.map(({ part }) => `${style.good("✔")} ${praise(part)}`), ...next];
}

/** Says that the result is unknown, since a timeout alone shows nothing. */
function doubt({ name }: Part, isWritten: boolean): string {
  const config = isWritten ? "The config is written" : "The config names the plugin";
  return `${config}, but ${name} was not seen to use it ${withinWords(TRIAL_PATIENCE_MS)}. ${startedAs()} doctor checks again.`;
}

function praise({ name }: Part): string {
  switch (name) {
    case "OpenCode":
      return "It works: OpenCode was started once and used the plugin.";
    case "Pi":
      return "It works: Pi was started once and loaded the extension.";
  }
}

/** Says, after an interruption, what was changed and how to undo it. */
function interruption(written: readonly FileChange[], request: SetupRequest): string {
  if (written.length === 0) return "\nInterrupted. Nothing was changed.\n";
  const files = written.map(({ path }) => shortPath(path)).join(", ");
  return [
    "",
    `Interrupted. The config is written, but was not tried out. Changed: ${files}`,
    `To undo it: ${removal(request)}`,
    "",
  ].join("\n");
}

function removal({ scope, hosts }: { readonly scope: Scope } & Pick<SetupRequest, "hosts">) {
  const host = hosts === "found" ? "" : ` --host ${hosts}`;
  return `${startedAs()} setup --remove${scope === "project" ? " --project" : ""}${host}`;
}
