// How the command line was started, so that what it advises can be copied and works.
import { basename, delimiter, dirname, sep } from "node:path";

type Variables = Readonly<Record<string, string | undefined>>;

const NAME = "session-runtime";

/** These words as a user types them here: `npm run cli -- doctor`. */
export function typed(words: string): string {
  return `${startedAs()} ${words}`;
}

/** How this process was started. */
export function startedAs(): string {
  return invocation(process.argv[1] ?? "", process.env);
}

/** How to get a newer version of what was started. */
export function updating(): string {
  return process.env.npm_lifecycle_event === "cli"
    ? "Update the clone: run `git pull` and `npm install` in it."
    : `Use the newest version: npx ${NAME}@latest.`;
}

/** The words before the command: `npx session-runtime`, `npm run cli --`, `session-runtime`. */
export function invocation(script: string, env: Variables): string {
  if (env.npm_lifecycle_event === "cli") return fromClone(env);
  if (script.includes(`${sep}_npx${sep}`) || env.npm_command === "exec") return `npx ${NAME}`;
  if (script.includes(`${sep}bunx-`)) return `bunx ${NAME}`;
  if (basename(script) !== NAME) return `node ${quoted(script)}`;
  const isOnPath = (env.PATH ?? "").split(delimiter).includes(dirname(script));
  const isLocal = script.includes(`${sep}node_modules${sep}.bin${sep}`);
  return isOnPath || !isLocal ? NAME : `npx ${NAME}`;
}

/** npm says from where it was called, and whose script it runs. */
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
