// Starts the real host's server, and ends it.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../host/places.ts";
import { onEarlyEnd } from "./early-end.ts";

/** A host that serves one folder. */
export interface HostServer {
  /** Sends a request to its API; throws if it is refused or takes too long. */
  request(method: "GET" | "POST", path: string, body?: object): Promise<unknown>;
  /** What it printed so far. */
  log(): string;
  stop(): Promise<void>;
}

export interface ServerSettings {
  readonly binary: string;
  readonly directory: string;
  readonly env: Environment;
}

/** The host did not get as far as serving, or broke off. */
export class HostFailure extends Error {
  override readonly name = "HostFailure";

  constructor(
    message: string,
    readonly log: string,
  ) {
    super(message);
  }
}

const START_TIMEOUT_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;
const LINGER_MS = 1_500;
const READY = /listening on (http:\S+)/;

export async function startHostServer(settings: ServerSettings): Promise<HostServer> {
  const args = ["serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs"];
  const child = spawn(settings.binary, args, {
    cwd: settings.directory,
    env: settings.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once(
    "exit",
    onEarlyEnd(() => void child.kill("SIGKILL")),
  );
  let log = "";
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (message: string) => {
      child.kill("SIGKILL");
      reject(new HostFailure(message, log));
    };
    const timer = setTimeout(() => fail("It did not start in time."), START_TIMEOUT_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        log += chunk;
        const ready = READY.exec(log)?.[1];
        if (ready === undefined) return;
        clearTimeout(timer);
        resolve(ready);
      });
    }
    child.once("error", (error) => fail(error.message));
    child.once("close", (code) => {
      clearTimeout(timer);
      fail(`It ended with ${code} before it served.`);
    });
  });
  return {
    log: () => log,
    stop: () => end(child),
    request: async (method, path, body) => {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { "content-type": "application/json", "x-opencode-directory": settings.directory },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      if (!response.ok) throw new HostFailure(`${path} answered ${response.status}: ${text}`, log);
      return text === "" ? null : JSON.parse(text);
    },
  };
}

/** SIGTERM, and SIGKILL if it lingers. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), LINGER_MS);
  await ended;
  clearTimeout(timer);
}
