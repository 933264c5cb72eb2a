// What a user should know before installing.
import { rewritersIn } from "../../../plugin/src/status/rewriters.ts";
import { readPlugins } from "../config-file/plugin-list.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import { filesOf, type Scope } from "../host/config-places.ts";
import type { Environment } from "../host/places.ts";
import { isOurs } from "./plugin-identity.ts";

/** What a user should know of the plugins that are there already, a sentence each. */
export function notesOn(scope: Scope, directory: string, env: Environment): readonly string[] {
  const other: Scope = scope === "global" ? "project" : "global";
  const here = specsIn(scope, directory, env);
  const there = specsIn(other, directory, env);
  const rewriters = rewritersIn([...here, ...there].map(({ spec }) => spec));
  const flag = other === "global" ? "" : " --project";
  return [
    ...rewriters.map(
      (spec) => `${spec} rewrites requests too: the two work against each other. Keep one of them.`,
    ),
    ...(there.some(({ spec, path }) => isOurs(spec, path))
      ? [`The ${other} config names the plugin as well; setup --remove${flag} takes it out there.`]
      : []),
    ...(scope === "project" && env.OPENCODE_DISABLE_PROJECT_CONFIG
      ? ["OPENCODE_DISABLE_PROJECT_CONFIG is set: OpenCode reads no project's config here."]
      : []),
  ];
}

function specsIn(scope: Scope, directory: string, env: Environment) {
  return filesOf(scope, env, directory).server.flatMap((path) => {
    const file = readConfigFile(path);
    const list = file.kind === "present" ? readPlugins(file.document) : null;
    return list?.kind === "list" ? list.entries.map(({ spec }) => ({ spec, path })) : [];
  });
}
