// The real host in a throwaway home: start, stop, kill, restart.
// Folder: The real host in a throwaway home.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { hostBinary } from "../../../../scripts/host-binary.mjs";
import { type Client, makeClient } from "../client/client.ts";
import type { Json, JsonObject } from "../json.ts";
import { ECONOMY } from "./economy.ts";
import { type Files, type Home, makeHome, makeProject, writeHostConfig } from "./home.ts";
import { MODELS, providerConfig } from "./models.ts";
import { type HostProcess, isolatedEnvironment, spawnHost } from "./process.ts";

/** An entry of the host's `plugin` list: a path or spec, or that with options. */
export type PluginEntry = string | readonly [string, JsonObject];

type Environment = Readonly<Record<string, string>>;

export interface HostSettings {
  /** Where the mock provider listens. */
  readonly providerUrl: string;
  /** Empty: the stock host. */
  readonly plugin: readonly PluginEntry[];
  /** Files of the first project. */
  readonly files: Files;
  /** Merged over the harness's own opencode.json, key by key at the top level. */
  readonly config: JsonObject;
  readonly env: Environment;
}

/** The real host in a throwaway home. */
export interface Host {
  readonly home: Home;
  /** Folder of the first project. */
  readonly project: string;
  /** Speaks to the first project; follows restarts. */
  readonly client: Client;
  readonly url: string;
  createClient(folder: string): Client;
  addProject(name: string, files: Files): string;
  /** Everything that the host printed so far, over all its runs. */
  logs(): string;
  /** Ends the host and starts it again on the same home; `env` goes over that of the settings. */
  restart(env: Environment): Promise<void>;
  /** Restarts a host that has taken much memory (`economy.ts`): between the tests of a file. */
  renew(): Promise<void>;
  /** Starts it after `kill9`. */
  start(env: Environment): Promise<void>;
  kill9(): Promise<void>;
  /** Ends the host and removes its home. */
  stop(): Promise<void>;
}

export const STOCK: Omit<HostSettings, "providerUrl"> = {
  plugin: [],
  files: { "AGENTS.md": "Answer in short sentences.\n", "notes.txt": "A first note.\n" },
  config: {},
  env: {},
};

export async function startHost(settings: HostSettings): Promise<Host> {
  const home = makeHome();
  mkdirSync(dirname(home.database), { recursive: true, mode: 0o700 });
  writeHostConfig(home, hostConfig(settings));
  const project = makeProject(home, "first", settings.files);
  const logs: string[] = [];
  const launch = (env: Environment) =>
    spawnHost({
      command: [hostBinary()],
      cwd: project,
      env: { ...isolatedEnvironment(home), ...settings.env, ...env },
      log: (chunk) => void logs.push(chunk),
    });
  let latest: Environment = {};
  let running: HostProcess = await launch(latest);
  const createClient = (folder: string) => makeClient(() => running.url, folder);
  const restart = async (env: Environment) => {
    await running.end();
    latest = env;
    running = await launch(env);
  };
  return {
    home,
    project,
    client: createClient(project),
    get url() {
      return running.url;
    },
    createClient,
    addProject: (name, files) => makeProject(home, name, files),
    logs: () => logs.join(""),
    restart,
    async renew() {
      if (ECONOMY.hasGrown(running.pid)) await restart(latest);
    },
    async start(env) {
      latest = env;
      running = await launch(env);
    },
    kill9: () => running.kill(),
    async stop() {
      await running.kill();
      home.remove();
    },
  };
}

function hostConfig({ providerUrl, plugin, config }: HostSettings): JsonObject {
  const { providerID, modelID } = MODELS.anthropic;
  const entries: readonly Json[] = plugin;
  return {
    $schema: "https://opencode.ai/config.json",
    model: `${providerID}/${modelID}`,
    share: "disabled",
    autoupdate: false,
    permission: "allow",
    provider: providerConfig(providerUrl),
    plugin: entries,
    ...ECONOMY.config,
    ...config,
  };
}
