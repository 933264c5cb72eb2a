// Starts the real host's server, and ends it.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { onEarlyEnd } from "../host/early-end.ts";
import type { Environment } from "../host/places.ts";
import { killTree, spawnTree } from "../host/process-tree.ts";

/** Describes a running host that serves one folder. */
export interface HostServer {
  /** Sends a request to its API; throws if it is refused or takes too long. */
  request(method: "GET" | "POST", path: string, body?: object): Promise<unknown>;
  /** Returns what the host has printed so far. */
  log(): string;
  stop(): Promise<void>;
}

interface ServerSettings {
  readonly binary: string;
  readonly directory: string;
  readonly env: Environment;
  /** Aborts when the start and all requests together have taken too long. */
  readonly deadline: AbortSignal;
}

/** Reports that the host did not start to serve, broke off, or did not answer. */
export class HostFailure extends Error {
  override readonly name = "HostFailure";

  constructor(
    message: string,
    readonly fault: "fails" | "hangs",
    readonly log: string,
  ) {
    super(message);
  }
}

const LINGER_MS = 1_500;
const READY = /listening on (http:\S+)/;

export async function startHostServer(settings: ServerSettings): Promise<HostServer> {
  const args = ["serve", "--port", "0", "--hostname", "127.0.0.1", "--print-logs"];
  const child = spawnTree(settings.binary, args, {
    cwd: settings.directory,
    env: settings.env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.once(
    "exit",
    onEarlyEnd(() => killTree(child, "SIGKILL")),
  );
  let log = "";
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (message: string, fault: HostFailure["fault"]) => {
      killTree(child, "SIGKILL");
      reject(new HostFailure(message, fault, log));
    };
    const { deadline } = settings;
    const giveUp = () => fail("It did not start in time.", "hangs");
    if (deadline.aborted) giveUp();
    else deadline.addEventListener("abort", giveUp, { once: true });
    const settle = () => deadline.removeEventListener("abort", giveUp);
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        log += chunk;
        const ready = READY.exec(log)?.[1];
        if (ready === undefined) return;
        settle();
        resolve(ready);
      });
    }
    child.once("error", (error) => fail(`It could not be started: ${error.message}.`, "fails"));
    child.once("close", (code) => {
      settle();
      const how = code === null ? "It was ended by a signal" : `It ended with exit code ${code}`;
      fail(`${how} before it was ready.`, "fails");
    });
  });
  return {
    log: () => log,
    stop: () => end(child),
    request: (method, path, body) =>
      ask(
        { url, settings, log: () => log, giveUp: () => killTree(child, "SIGKILL") },
        method,
        path,
        body,
      ),
  };
}

interface RequestContext {
  readonly url: string;
  readonly settings: ServerSettings;
  log(): string;
  /** Kills a host that hangs, without asking it to end. */
  giveUp(): void;
}

async function ask(
  { url, settings, log, giveUp }: RequestContext,
  method: "GET" | "POST",
  path: string,
  body: object | undefined,
): Promise<unknown> {
  const { directory, deadline } = settings;
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { "content-type": "application/json", "x-opencode-directory": directory },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: deadline,
    });
    const text = await response.text();
    if (response.ok) return text === "" ? null : JSON.parse(text);
    throw new HostFailure(`${path} answered ${response.status}: ${text}`, "fails", log());
  } catch (error) {
    if (error instanceof HostFailure || !(error instanceof Error)) throw error;
    if (deadline.aborted) {
      giveUp();
      throw new HostFailure(`It did not answer ${method} ${path} in time.`, "hangs", log());
    }
    // Node throws a TypeError where the connection is lost; an answer that is cut off is not JSON.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    const reason = `The connection broke during ${method} ${path}: ${error.message}.`;
    throw new HostFailure(reason, "fails", log());
  }
}

/** Sends SIGTERM, and SIGKILL if the host lingers. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  killTree(child, "SIGTERM");
  const timer = setTimeout(() => killTree(child, "SIGKILL"), LINGER_MS);
  await ended;
  clearTimeout(timer);
}
