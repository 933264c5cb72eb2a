// Names of the MCP servers in the config files.
import { propertiesNamed } from "../config-file/document.ts";
import { readConfigFile } from "../config-file/read-file.ts";
import { filesOf } from "./config-places.ts";
import type { Environment } from "./places.ts";

/** Names of the MCP servers in the config files of user and project, without asking the host. */
export function mcpServersIn(directory: string, env: Environment): readonly string[] {
  const paths = (["global", "project"] as const).flatMap(
    (scope) => filesOf(scope, env, directory).server,
  );
  return [...new Set(paths.flatMap(namesIn))];
}

function namesIn(path: string): readonly string[] {
  const file = readConfigFile(path);
  const root = file.kind === "present" ? file.document.root : null;
  if (root?.type !== "object") return [];
  return propertiesNamed(root, "mcp").flatMap((property) =>
    (property.children?.[1]?.children ?? []).map((server) => String(server.children?.[0]?.value)),
  );
}
