import { join } from "node:path";
import { run } from "../src/run.ts";
import { styleFor } from "../src/terminal/style.ts";
import { bundledCli, type CommandOutput } from "./command-line.ts";

let before: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in the test's own process, from its sources: a twentieth of the work where it is
 * the command that is tested, and not its start. `env` is all of its environment, and names the home.
 */
export function runHere(
  words: readonly string[],
  env: Readonly<Record<string, string>> & { readonly HOME: string },
  cwd: string,
): Promise<CommandOutput> {
  // One after the other: environment and folder are those of the whole process.
  const ran = before.then(() => within(surroundings(env), cwd, () => captured(words)));
  before = ran.catch(() => undefined);
  return ran;
}

/** Bun knows the user's own home from its start: what would lie there is named by its variable. */
function surroundings(env: Readonly<Record<string, string>> & { readonly HOME: string }) {
  const data = join(env.HOME, ".local/share");
  return { PATH: process.env.PATH ?? "", XDG_DATA_HOME: data, ...env };
}

async function captured(words: readonly string[]): Promise<CommandOutput> {
  const [out, err] = [sink(), sink()];
  const { env } = process;
  const style = styleFor(out, env);
  const terminal = { out, err, style, errStyle: style, columns: 80, isInteractive: false, env };
  const exitCode = await run(words, terminal, "0.0.0");
  return { out: out.text(), err: err.text(), exitCode };
}

function sink() {
  const pieces: string[] = [];
  const write = (text: string) => pieces.push(text);
  return { isTTY: false, write, text: () => pieces.join("") };
}

async function within<T>(
  env: Readonly<Record<string, string>>,
  cwd: string,
  body: () => Promise<T>,
): Promise<T> {
  const was = { env: { ...process.env }, cwd: process.cwd(), argv: [...process.argv] };
  const script = bundledCli();
  become(env);
  process.argv = [process.execPath, script];
  process.chdir(cwd);
  try {
    return await body();
  } finally {
    process.chdir(was.cwd);
    process.argv = was.argv;
    become(was.env);
  }
}

/** The same object with other values: what holds it sees them. */
function become(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}
