// Does setup's work for OpenCode.
import { statSync } from "node:fs";
import { CliError, EXIT } from "../cli-error.ts";
import { scopeFiles } from "../host/config-places.ts";
import type { FoundHost } from "../host/find-host.ts";
import { resolvePlaces } from "../host/places.ts";
import { isOpenCode2 } from "../host/version-range.ts";
import { startedAs } from "../invocation.ts";
import { withProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkSpec } from "./check-spec.ts";
import { fetchPackage } from "./fetch-package.ts";
import type { FileChange } from "./file-change.ts";
import { importComplaint } from "./import-plugin.ts";
import { journalPath, specsOfSetup } from "./journal.ts";
import { collectNotes, notesOnDead } from "./notes.ts";
import { offerEstimate } from "./offer-estimate.ts";
import type { Part, PartPlan } from "./part.ts";
import { listingFor, planSetup, type Settings } from "./plan.ts";
import {
  isPathSpec,
  type Listing,
  OPENCODE_2_LISTING,
  OPENCODE_LISTING,
  pathOfSpec,
} from "./plugin-identity.ts";
import { askSettings, confirmRemovingConflicts } from "./questions.ts";
import type { SetupRequest } from "./request.ts";
import { bringsTerminalPart, findSettingsSchema, resolveSpec } from "./resolve-wish.ts";
import { type SameWork, sameWorkInFiles } from "./same-work.ts";
import { checkPluginWorks } from "./try-out.ts";

export function openCodePart(host: FoundHost, request: SetupRequest, terminal: Terminal): Part {
  const { directory } = request;
  const spec = resolveSpec(request.spec, directory, OPENCODE_LISTING);
  checkSpec(spec, OPENCODE_LISTING);
  const is2 = isOpenCode2(host.version);
  if (is2) refuseFile(spec);
  return {
    host,
    name: "OpenCode",
    spec,
    unchanged: "The config already lists the plugin: nothing to change in it.",
    makeSureItLoads: async () => {
      if (!is2) await makeSureItLoads(request, host, spec, terminal);
    },
    plan: () => plan(request, host, spec, terminal),
    checkPluginWorks: async () => {
      if (is2) return null;
      return withProgress(terminal, "Starting OpenCode once to see the plugin work", () =>
        checkPluginWorks(host, directory, terminal.env),
      );
    },
  };
}

/** Refuses a file, because OpenCode 2.0 looks for the parts of a package at the root of a folder. @throws CliError */
function refuseFile(spec: string): void {
  if (!isPathSpec(spec) || statSync(pathOfSpec(spec, "/")).isDirectory()) return;
  throw new CliError(
    "spec-file",
    `${spec} is a file, which OpenCode 2 doesn't load as a plugin.`,
    "Name the folder of the plugin's package with --spec. Nothing was changed.",
    EXIT.usage,
  );
}

/** Explains to users of OpenCode 2 what differs from OpenCode 1. */
function notesOn2(listing: Listing): readonly string[] {
  const list =
    listing === OPENCODE_2_LISTING
      ? 'The entry goes into "plugins", because your config has that list. OpenCode 1 refuses such a config.'
      : 'The entry goes into "plugin", which OpenCode 2 reads as OpenCode 1 does.';
  return [
    `${list} Setup does not start OpenCode 2: the plugin's support follows its source code, and was never run on a stable 2.x. docs/hosts.md says what works there.`,
  ];
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

async function plan(
  request: SetupRequest,
  host: FoundHost,
  spec: string,
  terminal: Terminal,
): Promise<PartPlan> {
  const { mode, scope, directory } = request;
  const { env } = terminal;
  const takenOut = await chooseSameWork(request, terminal);
  const wish = { spec, takenOut, settings: request.settings };
  const bare = planChanges(request, host, wish, terminal);
  // A user who already has the plugin was asked before.
  const asks = mode === "ask" && bare.length > 0;
  if (asks) await offerEstimate(env);
  const settings = asks ? await askSettings(request.settings) : null;
  const changes =
    settings === null ? bare : planChanges(request, host, { ...wish, settings }, terminal);
  return {
    changes,
    asked: asks ? "something" : "nothing",
    notes: [
      ...notesOnDead(changes, OPENCODE_LISTING),
      ...collectNotes({ scope, directory, env, takenOut, changes, command: startedAs() }),
      ...(isOpenCode2(host.version) && changes.length > 0
        ? notesOn2(listingFor(host.version, scopeFiles(scope, env, directory)))
        : []),
    ],
  };
}

async function chooseSameWork(
  { scope, mode, directory, sameWork }: SetupRequest,
  { env }: Terminal,
): Promise<ReadonlySet<string>> {
  const found = sameWorkInFiles(scopeFiles(scope, env, directory));
  const chosen = async (): Promise<readonly SameWork[]> => {
    if (sameWork === "take-out") return found;
    return mode === "ask" ? confirmRemovingConflicts(found) : [];
  };
  return new Set((await chosen()).map(({ spec }) => spec));
}

function planChanges(
  { scope, directory }: SetupRequest,
  { version }: FoundHost,
  wish: {
    readonly spec: string;
    readonly takenOut: ReadonlySet<string>;
    readonly settings: Settings;
  },
  { env }: Terminal,
): readonly FileChange[] {
  // OpenCode 2 reads no tui.json.
  const hasTerminalPart = !isOpenCode2(version) && bringsTerminalPart(wish.spec, env);
  const settingsSchema = findSettingsSchema(wish.spec);
  const recorded = specsOfSetup(journalPath(resolvePlaces(env).runtimeData));
  const files = scopeFiles(scope, env, directory);
  const listing = listingFor(version, files);
  return planSetup(files, { ...wish, hasTerminalPart, settingsSchema }, recorded, listing);
}
