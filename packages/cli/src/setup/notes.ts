// Collects notes for the user about plugins that are already installed.
import { findRewriters } from "@session-runtime/opencode/status/rewriters";
import { PLUGIN_LIST, pluginEntries } from "../config-file/plugin-list.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import { type Scope, scopeFiles } from "../host/config-places.ts";
import { type Environment, resolvePlaces } from "../host/places.ts";
import type { FileChange } from "./file-change.ts";
import { journalPath, specsOfSetup } from "./journal.ts";
import { deadEntries } from "./plan.ts";
import { isGone, isOurs, type Listing, OPENCODE_LISTING } from "./plugin-identity.ts";
import { sameWorkIn } from "./same-work.ts";
import { shortPath } from "./show-plan.ts";

export interface NotesInput {
  readonly scope: Scope;
  readonly directory: string;
  readonly env: Environment;
  /** The specs that are taken out, which need no note. */
  readonly takenOut: ReadonlySet<string>;
  /** The changes that setup would write. */
  readonly changes: readonly FileChange[];
  /** The words that start the command line here, like `npx session-runtime`. */
  readonly command: string;
}

/** Returns the notes, a sentence or two each. */
export function collectNotes({
  scope,
  directory,
  env,
  takenOut,
  changes,
  command,
}: NotesInput): readonly string[] {
  const other: Scope = scope === "global" ? "project" : "global";
  const here = specsIn(scope, directory, env);
  const there = specsIn(other, directory, env);
  const written = specsOfSetup(journalPath(resolvePlaces(env).runtimeData));
  const specs = [...new Set([...here, ...there].map(({ spec }) => spec))];
  const staying = findRewriters(specs).filter((spec) => !takenOut.has(spec));
  const named = new Map(sameWorkIn(staying).map(({ spec, name }) => [spec, name]));
  const flag = other === "global" ? "" : " --project";
  const going = new Set(deadEntries(changes, OPENCODE_LISTING).map(({ spec }) => spec));
  const isOur = (spec: string, path: string) =>
    isOurs(spec, path, { listing: OPENCODE_LISTING, written });
  const gone = [...here, ...there].filter(
    ({ spec, path }) => isGone(spec, path) && !going.has(spec) && !isOur(spec, path),
  );
  return [
    ...gone.map(
      ({ spec, path }) =>
        `${shortPath(path)} lists ${shortPath(spec)}, which does not exist. Setup did not write this entry: if it was a clone of Session Runtime, remove it.`,
    ),
    ...staying.map((spec) => {
      const name = named.get(spec);
      return name === undefined
        ? `${spec} also rewrites requests, which can undo what Session Runtime does. \`${command} doctor\` shows whether it does.`
        : `${spec} (${name}) does the same work, and each undoes what the other does. Keep one of them: setup --replace removes it.`;
    }),
    ...(there.some(({ spec, path }) => isOur(spec, path))
      ? [
          `The ${other} config names the plugin too. \`${command} setup --remove${flag}\` removes it there.`,
        ]
      : []),
    ...(scope === "project" && env.OPENCODE_DISABLE_PROJECT_CONFIG
      ? ["OPENCODE_DISABLE_PROJECT_CONFIG is set, so OpenCode ignores this project's config here."]
      : []),
  ];
}

/** Reports the entries of ours that the changes take out, because their path does not exist. */
export function notesOnDead(changes: readonly FileChange[], listing: Listing): readonly string[] {
  return deadEntries(changes, listing).map(
    ({ file, spec }) =>
      `${shortPath(file)} lists ${shortPath(spec)}, which no longer exists: setup removes that entry.`,
  );
}

function specsIn(scope: Scope, directory: string, env: Environment) {
  return scopeFiles(scope, env, directory).server.flatMap((path) =>
    pluginEntries(readConfigFile(path), PLUGIN_LIST).map(({ spec }) => ({ spec, path })),
  );
}
