// Writes and recognises the launcher: a small script that starts this command line from anywhere.
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { errorCode } from "./system-error.ts";

export const LAUNCHER_NAME = "session-runtime";

/** Describes what a launcher starts. */
export type Program =
  | { readonly kind: "script"; readonly node: string; readonly script: string }
  /** npx keeps packages in a cache that it clears, so `spec` says how to fetch the package again. */
  | { readonly kind: "npx"; readonly spec: string };

const HEAD =
  "#!/bin/sh\n# Session Runtime's launcher, made by setup; `setup --remove` takes it out.\n";

/** Renders the whole file, which explains a missing clone instead of failing with a shell error. */
export function launcherText(program: Program): string {
  switch (program.kind) {
    case "npx":
      return `${HEAD}exec npx --yes ${quotedSpec(program.spec)} "$@"\n`;
    case "script":
      return `${HEAD}node=${quoted(program.node)}
script=${quoted(program.script)}
if [ ! -f "$script" ]; then
  echo "error: Session Runtime is no longer at $script." >&2
  echo "  If its clone has moved, run \\\`npm run cli -- setup\\\` there: it corrects $0." >&2
  exit 4
fi
[ -x "$node" ] || node=node
exec "$node" "$script" "$@"
`;
  }
}

/** Says whether a text is a launcher as we write it; a changed one belongs to the user. */
export function isLauncher(text: string): boolean {
  const [, named, archive] =
    /^exec npx --yes (?:(session-runtime@\S+)|'(file:(?:[^']|'\\'')*)') "\$@"$/m.exec(text) ?? [];
  const spec = named ?? archive?.replaceAll("'\\''", "'");
  if (spec !== undefined) return text === launcherText({ kind: "npx", spec });
  const node = parseQuotedValue(text, "node");
  const script = parseQuotedValue(text, "script");
  if (node === null || script === null) return false;
  return text === launcherText({ kind: "script", node, script });
}

/**
 * Returns the file of our name that a shell here would start, and whether it is our launcher; null where there
 * is none.
 */
export function commandOnPath(
  env: Readonly<Record<string, string | undefined>>,
): { readonly path: string; readonly isOurs: boolean } | null {
  for (const folder of pathFolders(env)) {
    const path = join(folder, LAUNCHER_NAME);
    const text = textAt(path);
    if (text !== null) return { path, isOurs: isLauncher(text) };
  }
  return null;
}

/** Returns the user's PATH, without the folders that npm puts first for a script. */
export function pathFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env.PATH ?? "")
    .split(delimiter)
    .filter(
      (folder) => folder !== "" && !/[\\/](?:node_modules|node-gyp-bin)(?:[\\/]|$)/.test(folder),
    );
}

/** Returns null where there is no readable file. */
export function textAt(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

function quotedSpec(spec: string): string {
  return spec.startsWith("file:") ? quoted(spec) : spec;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}

function parseQuotedValue(text: string, name: string): string | null {
  const found = new RegExp(`^${name}='((?:[^']|'\\\\'')*)'$`, "m").exec(text)?.[1];
  return found === undefined ? null : found.replaceAll("'\\''", "'");
}
