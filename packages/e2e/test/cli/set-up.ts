import { afterAll } from "bun:test";
import { copyFileSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { bundledCli } from "../../../cli/test/command-line.ts";
import { makeHome, makeProject, writeFiles, writeHostConfig } from "../../src/host/home.ts";
import { isolatedEnvironment } from "../../src/host/process.ts";
import type { JsonObject } from "../../src/json.ts";

/** The plugin's package as it stands in the repository. */
export const PLUGIN_FOLDER = resolve(import.meta.dir, "../../../plugin");

/** A user's home with a project in it, in which the command line finds the real host. */
export interface SetUp {
  readonly root: string;
  readonly project: string;
  /** Paths below the folder with the user's host config. */
  config(name: string): string;
  writeConfig(config: JsonObject): void;
  write(path: string, text: string): string;
  read(path: string): string;
  readonly database: string;
  readonly packages: string;
  cli(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliRun>;
  /** The same as a user without the rights of root; null where there is no way to be one. */
  cliAsOrdinaryUser: SetUp["cli"] | null;
  /** The same, to be ended by the caller. */
  start(words: readonly string[], env: Readonly<Record<string, string>>): Bun.Subprocess;
}

export interface CliRun {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number | null;
}

const homes: { remove(): void }[] = [];
afterAll(() => {
  for (const home of homes.splice(0)) home.remove();
});

export function makeSetUp(): SetUp {
  const home = makeHome();
  homes.push(home);
  writeHostConfig(home, {});
  const project = makeProject(home, "first", { "AGENTS.md": "Be brief.\n" });
  const at = (path: string) => resolve(home.root, path);
  const config = (name: string) => join(home.config, "opencode", name);
  const environment = (env: Variables) => ({
    ...isolatedEnvironment(home),
    OPENCODE_BIN: hostBinary(),
    ...env,
  });
  return {
    root: home.root,
    project,
    config,
    writeConfig: (value) => writeHostConfig(home, value),
    write(path, text) {
      writeFiles(home.root, { [path]: text });
      return at(path);
    },
    read: (path) => readFileSync(at(path), "utf8"),
    database: home.database,
    packages: join(home.root, ".cache/opencode/packages"),
    cli: (words, env = {}) => run([], words, project, environment(env)),
    cliAsOrdinaryUser: ordinaryUser((command) => (words, env = {}) => {
      let own: Variables = {};
      if (command.length > 0) {
        // Root keeps the fetched host where nobody else may look.
        own = { OPENCODE_BIN: at("opencode-for-everybody") };
        copyFileSync(hostBinary(), at("opencode-for-everybody"));
        Bun.spawnSync(["chown", "-R", `${NOBODY}:${NOBODY}`, home.root]);
        Bun.spawnSync(["chmod", "-R", "a+rX", dirname(bundledCli())]);
      }
      return run(command, words, project, environment({ ...own, ...env }));
    }),
    start: (words, env) =>
      Bun.spawn(["node", bundledCli(), ...words], {
        cwd: project,
        env: environment(env),
        stdin: "ignore",
        stdout: "ignore",
        stderr: "ignore",
      }),
  };
}

type Variables = Readonly<Record<string, string>>;

const NOBODY = 65_534;

/** What has to stand before a command so that it runs without root's rights; null where nothing does it. */
function ordinaryUser<T>(use: (command: readonly string[]) => T): T | null {
  if (process.geteuid?.() !== 0) return use([]);
  if (Bun.which("setpriv") === null) return null;
  return use(["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"]);
}

async function run(
  before: readonly string[],
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<CliRun> {
  const child = Bun.spawn([...before, "node", bundledCli(), ...words], {
    cwd,
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return { out, err, exitCode: await child.exited };
}
