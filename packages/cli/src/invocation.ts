// Finds how the command line was started, so that its advice can be copied and works.
import { existsSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, resolve, sep } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { commandOnPath, LAUNCHER_NAME, type Program } from "./launcher-file.ts";
import { npxArchive } from "./npx-package.ts";

type Variables = Readonly<Record<string, string | undefined>>;

const NAME = LAUNCHER_NAME;

/** Renders these words as a user types them here: `npm run cli -- doctor`. */
export function typed(words: string): string {
  return `${startedAs()} ${words}`;
}

/** Returns what the user can type: the launcher where it is found, otherwise how this process was started. */
export function startedAs(): string {
  if (commandOnPath(process.env)?.isOurs === true) return NAME;
  return invocation(process.argv[1] ?? "", process.env);
}

/** Returns what a launcher must start to run the current program. */
export function startedProgram(): Program {
  const script = process.argv[1] ?? "";
  if (script.includes(`${sep}_npx${sep}`) || script.includes(`${sep}bunx-`)) {
    const archive = npxArchive(script);
    const spec = archive === null ? `${NAME}@${manifest.version}` : `file:${archive}`;
    return { kind: "npx", spec };
  }
  return { kind: "script", node: process.execPath, script: realpathSync(script) };
}

/** Says how to get a newer version of the current program. */
export function updating(): string {
  const script = process.argv[1] ?? "";
  if (npxArchive(script) !== null) {
    return "Update the clone that this archive was packed in, run `npm run pack` there, then run setup again.";
  }
  return isInClone(script)
    ? "Update the clone: run `git pull`, `npm install` and `npm run cli -- setup` in it."
    : `Use the newest version: npx ${NAME}@latest.`;
}

/** Says whether a script is the one that a clone builds. */
function isInClone(script: string): boolean {
  return existsSync(resolve(dirname(script), "../../../scripts/build-cli.mjs"));
}

/** Returns the words before the command: `npx session-runtime`, `npm run cli --`, `session-runtime`. */
export function invocation(script: string, env: Variables): string {
  if (env.npm_lifecycle_event === "cli") return fromClone(env);
  const archive = npxArchive(script);
  if (archive !== null) return `npx ${quoted(`file:${archive}`)}`;
  if (script.includes(`${sep}_npx${sep}`) || env.npm_command === "exec") return `npx ${NAME}`;
  if (script.includes(`${sep}bunx-`)) return `bunx ${NAME}`;
  if (basename(script) !== NAME) return `node ${quoted(script)}`;
  const isOnPath = (env.PATH ?? "").split(delimiter).includes(dirname(script));
  const isLocal = script.includes(`${sep}node_modules${sep}.bin${sep}`);
  return isOnPath || !isLocal ? NAME : `npx ${NAME}`;
}

/** Reads from npm's variables where it was called, and whose script it runs. */
function fromClone({ INIT_CWD, npm_package_json }: Variables): string {
  const root = npm_package_json === undefined ? undefined : dirname(npm_package_json);
  const isInside =
    root === undefined ||
    INIT_CWD === undefined ||
    INIT_CWD === root ||
    INIT_CWD.startsWith(root + sep);
  return isInside ? "npm run cli --" : `npm --prefix ${quoted(root)} run cli --`;
}

function quoted(path: string): string {
  return /^[\w@%+=:,./~\\-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
