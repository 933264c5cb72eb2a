// The launcher: a small script that starts this command line from anywhere, and how one of ours is recognised.
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { errorCode } from "./system-error.ts";

export const LAUNCHER_NAME = "session-runtime";

/** What a launcher starts. */
export type Program =
  | { readonly kind: "script"; readonly node: string; readonly script: string }
  /** npx keeps packages in a cache that it clears: `spec` is what it gets the package by. */
  | { readonly kind: "npx"; readonly spec: string };

const HEAD =
  "#!/bin/sh\n# Session Runtime's launcher, made by setup; `setup --remove` takes it out.\n";

/** The whole file. It names what it needs, so that a clone that has moved is explained and no shell error. */
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

/** Whether a text is a launcher as we write it: what somebody has changed is theirs. */
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

/** The file by our name that a shell here would start, and whether it is a launcher of ours; null: there is none. */
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

/** What npm puts first for the time of a script is not the user's. */
export function pathFolders(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return (env.PATH ?? "")
    .split(delimiter)
    .filter(
      (folder) => folder !== "" && !/[\\/](?:node_modules|node-gyp-bin)(?:[\\/]|$)/.test(folder),
    );
}

/** Null: there is no file that can be read. */
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
