// Does setup's work for Pi.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { toFields } from "@session-runtime/opencode/context/fields";
import { CliError } from "../cli-error.ts";
import type { FoundHost } from "../host/find-host.ts";
import { TRIAL_PATIENCE_MS, withinWords } from "../host/patience.ts";
import { piSettings } from "../host/pi-places.ts";
import { resolvePlaces } from "../host/places.ts";
import { hasOurs, type PiQuestion, piCommands } from "../live/pi-commands.ts";
import { sentence } from "../sentence.ts";
import { withProgress } from "../terminal/progress.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { checkSpec } from "./check-spec.ts";
import { planEdit, requireStrictJson } from "./file-change.ts";
import { journalPath, specsOfSetup } from "./journal.ts";
import { notesOnDead } from "./notes.ts";
import type { Part, PartPlan } from "./part.ts";
import { addKnown, listEdit } from "./plan.ts";
import { isPathSpec, PI_LISTING, pathOfSpec, readManifest } from "./plugin-identity.ts";
import type { SetupRequest } from "./request.ts";
import { resolveSpec } from "./resolve-wish.ts";
import { shortPath } from "./show-plan.ts";
import type { PluginCheckResult } from "./try-out.ts";

export function piPart(host: FoundHost, request: SetupRequest, terminal: Terminal): Part {
  const { scope, directory } = request;
  const spec = resolveSpec(request.spec, directory, PI_LISTING);
  checkSpec(spec, PI_LISTING);
  const ask = (extensions: PiQuestion["extensions"]) => {
    const deadline = AbortSignal.timeout(TRIAL_PATIENCE_MS);
    return piCommands(host, { directory, env: terminal.env, deadline, extensions });
  };
  return {
    host,
    name: "Pi",
    spec,
    unchanged: "Pi's settings already list the extension: nothing to change in them.",
    async makeSureItLoads() {
      refuseUnbuilt(spec);
      if (request.check === "skip") return;
      const text = `Starting Pi once with ${shortPath(spec)} alone`;
      const answer = await withProgress(terminal, text, () => ask({ only: spec }));
      if (answer.kind === "answered" && hasOurs(answer.commands)) return;
      if (answer.kind === "failed" && answer.fault === "hangs") {
        throw new CliError(
          "extension-unseen",
          `Could not check whether Pi can load ${spec}: it did not answer ${withinWords(TRIAL_PATIENCE_MS)}.`,
          "Nothing was changed. Try again when this machine is less busy, or add --no-check.",
        );
      }
      const why = answer.kind === "failed" ? answer.reason : answer.complaints.join(" ");
      throw new CliError(
        "extension-fails",
        `Pi can't load ${spec}: ${sentence(why || "it gave no reason")}`,
        "Nothing was changed. For a clone, run `npm install` in it first; for a package, name another version with --spec.",
      );
    },
    plan: async () => plan(request, spec, terminal),
    async checkPluginWorks(): Promise<PluginCheckResult | null> {
      // A project's settings count only once the user trusts the project, which we can't decide.
      if (scope === "project") return null;
      const text = "Starting Pi once to see it load the extension";
      const answer = await withProgress(terminal, text, () => ask("own"));
      if (answer.kind === "failed") return answer.fault === "hangs" ? "unseen" : "does-not";
      return hasOurs(answer.commands) ? "works" : "does-not";
    },
  };
}

/** Refuses a clone whose extension is not built yet. @throws CliError */
function refuseUnbuilt(spec: string): void {
  if (!isPathSpec(spec)) return;
  const missing = missingEntry(pathOfSpec(spec, "/"));
  if (missing === null) return;
  throw new CliError(
    "extension-not-built",
    `The extension in ${spec} is not built: ${missing} does not exist.`,
    "In the clone, run `npm install` and `node scripts/build-pi.mjs`, then this command again. Nothing was changed.",
  );
}

/** Returns the file that a package names as its extension but lacks; null where none is missing. */
export function missingEntry(folder: string): string | null {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return null;
  const { extensions } = toFields(readManifest(folder)?.pi);
  const entries: readonly unknown[] = Array.isArray(extensions) ? extensions : [];
  const paths = entries.map((entry) => join(folder, String(entry)));
  return paths.find((path) => !existsSync(path)) ?? null;
}

function plan({ scope, directory }: SetupRequest, spec: string, { env }: Terminal): PartPlan {
  const path = piSettings(scope, env, directory);
  const written = specsOfSetup(journalPath(resolvePlaces(env).runtimeData));
  const known = addKnown([path], spec, { listing: PI_LISTING, written });
  const wish = { spec, schema: null, takenOut: new Set<string>() };
  const edit = listEdit(path, wish, known);
  const change = planEdit(path, (document) => edit(requireStrictJson(path, document)));
  const changes = change === null ? [] : [change];
  return {
    changes,
    asked: "nothing",
    notes: [
      ...notesOnDead(changes, PI_LISTING),
      ...(scope === "project"
        ? ["Pi reads a project's settings once you trust the project; it asks at its start."]
        : []),
    ],
  };
}
