// One run of the host's server, in an environment of its own.
import { tmpdir } from "node:os";
import { NOON } from "./clock.ts";
import { ECONOMY } from "./economy.ts";
import type { Home } from "./home.ts";

/** One run of the host's server. */
export interface HostProcess {
  readonly url: string;
  readonly pid: number;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGTERM, and SIGKILL if it lingers. */
  end(): Promise<void>;
}

export interface ProcessSettings {
  /** The host's program, and before it what it is run under. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: (chunk: string) => void;
}

const READY = /listening on (http:\S+)/;
const START_TIMEOUT_MS = 60_000;
const LINGER_MS = 1_500;

/** A run that ends early must leave no host running. */
const alive = new Set<Bun.Subprocess>();
process.on("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});

export async function spawnHost(settings: ProcessSettings): Promise<HostProcess> {
  const args = ["serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs"];
  const child = Bun.spawn([...settings.command, ...args], {
    cwd: settings.cwd,
    env: settings.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  alive.add(child);
  void child.exited.then(() => alive.delete(child));
  void drain(child.stderr, settings.log);
  const ready = Promise.withResolvers<string>();
  let output = "";
  void drain(child.stdout, (chunk) => {
    settings.log(chunk);
    output += chunk;
    const url = READY.exec(output)?.[1];
    if (url) ready.resolve(url);
  });
  void child.exited.then((code) => ready.reject(new Error(`The host ended (${code}):\n${output}`)));
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const timer = setTimeout(() => {
    ready.reject(new Error(`The host did not start in ${START_TIMEOUT_MS} ms:\n${output}`));
    void kill();
  }, START_TIMEOUT_MS);
  const url = await ready.promise.finally(() => clearTimeout(timer));
  const end = async () => {
    child.kill("SIGTERM");
    const ended = await Promise.race([child.exited, Bun.sleep(LINGER_MS).then(() => "lingers")]);
    if (ended === "lingers") await kill();
  };
  return { url, pid: child.pid, kill, end };
}

async function drain(stream: ReadableStream<Uint8Array>, sink: (chunk: string) => void) {
  const decoder = new TextDecoder();
  for await (const chunk of stream) sink(decoder.decode(chunk, { stream: true }));
}

/** The environment of a host that sees nothing of this machine's own configuration. */
export function isolatedEnvironment(home: Home): Record<string, string> {
  return {
    ...ECONOMY.env,
    PATH: process.env.PATH ?? "",
    // Below it lie the throwaway homes: the plugin uses no other place's database in a test.
    TMPDIR: tmpdir(),
    HOME: home.root,
    XDG_CONFIG_HOME: home.config,
    XDG_DATA_HOME: home.data,
    XDG_CACHE_HOME: `${home.root}/.cache`,
    XDG_STATE_HOME: `${home.root}/.local/state`,
    GIT_CONFIG_NOSYSTEM: "1",
    LANG: "C.UTF-8",
    TZ: NOON.name,
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    SESSION_RUNTIME_DB: home.database,
  };
}
