// What setup does for OpenCode.
import { CliError } from "../cli-error.ts";
import { filesOf } from "../host/config-places.ts";
import type { FoundHost } from "../host/find-host.ts";
import { placesOf } from "../host/places.ts";
import { startedAs } from "../invocation.ts";
import { withProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkSpec } from "./check-spec.ts";
import { fetchPackage } from "./fetch-package.ts";
import type { FileChange } from "./file-change.ts";
import { importComplaint } from "./import-plugin.ts";
import { journalPath, specsOfSetup } from "./journal.ts";
import { notesOn } from "./notes.ts";
import { offerEstimate } from "./offer-estimate.ts";
import type { Part, PartPlan } from "./part.ts";
import { deadEntries, planSetup, type Settings } from "./plan.ts";
import { IN_OPENCODE, isPathSpec } from "./plugin-identity.ts";
import { askSettings, askToTakeOut } from "./questions.ts";
import type { SetupRequest } from "./request.ts";
import { bringsTerminalPart, resolveSpec, settingsSchemaOf } from "./resolve-wish.ts";
import { type SameWork, sameWorkInFiles } from "./same-work.ts";
import { shortPath } from "./show-plan.ts";
import { tryOut } from "./try-out.ts";

export function openCodePart(host: FoundHost, request: SetupRequest, terminal: Terminal): Part {
  const { directory } = request;
  const spec = resolveSpec(request.spec, directory, IN_OPENCODE);
  checkSpec(spec, IN_OPENCODE);
  return {
    host,
    name: "OpenCode",
    spec,
    unchanged: "The config already lists the plugin: nothing to change in it.",
    makeSureItLoads: () => makeSureItLoads(request, host, spec, terminal),
    plan: () => plan(request, spec, terminal),
    tryOut: () =>
      withProgress(terminal, "Starting OpenCode once to see the plugin work", () =>
        tryOut(host, directory, terminal.env),
      ),
  };
}

async function makeSureItLoads(
  { check: checking, directory }: SetupRequest,
  host: FoundHost,
  spec: string,
  terminal: Terminal,
): Promise<void> {
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

async function plan(request: SetupRequest, spec: string, terminal: Terminal): Promise<PartPlan> {
  const { mode, scope, directory } = request;
  const { env } = terminal;
  const takenOut = await chooseSameWork(request, terminal);
  const wish = { spec, takenOut, settings: request.settings };
  const bare = planChanges(request, wish, terminal);
  // Whoever has it already was asked before.
  const asks = mode === "ask" && bare.length > 0;
  if (asks) await offerEstimate(env);
  const settings = asks ? await askSettings(request.settings) : null;
  const changes = settings === null ? bare : planChanges(request, { ...wish, settings }, terminal);
  return {
    changes,
    asked: asks ? "something" : "nothing",
    notes: [
      ...deadEntries(changes, IN_OPENCODE).map(
        ({ file, spec: gone }) =>
          `${shortPath(file)} lists ${shortPath(gone)}, which no longer exists: that entry goes.`,
      ),
      ...notesOn({ scope, directory, env, takenOut, command: startedAs() }),
    ],
  };
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
