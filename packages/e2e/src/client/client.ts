// The host's HTTP API for one project folder.
// Folder: A client for the host's HTTP API.
import type { Message, OutputFormat, Part, Session, SessionStatus } from "@opencode-ai/sdk/v2";
import type { ModelRef } from "../host/models.ts";
import { type EventStream, type HostEvent, subscribe } from "./events.ts";

export interface MessageWithParts {
  readonly info: Message;
  readonly parts: readonly Part[];
}

/** What a prompt may carry beside its text; what is left out is the host's default. */
export interface PromptSettings {
  readonly model?: ModelRef;
  readonly agent?: string;
  /** Goes into the system string of this prompt's calls alone. */
  readonly system?: string;
  readonly messageID?: string;
  readonly noReply?: boolean;
  readonly format?: OutputFormat;
}

export interface RunningTurn {
  /** Resolves when the session is idle again. */
  readonly settled: Promise<void>;
}

/** The host's HTTP API for one project folder. Every refusal throws a `HostError`. */
export interface Client {
  readonly folder: string;
  createSession(parentID?: string): Promise<Session>;
  session(id: string): Promise<Session>;
  children(id: string): Promise<readonly Session[]>;
  deleteSession(id: string): Promise<void>;
  messages(id: string): Promise<readonly MessageWithParts[]>;
  /** Resolves when the turn is over. */
  prompt(id: string, text: string, settings?: PromptSettings): Promise<MessageWithParts>;
  /** Resolves when the host has taken the prompt in. */
  promptAsync(id: string, text: string, settings?: PromptSettings): Promise<RunningTurn>;
  command(id: string, name: string, args: string): Promise<MessageWithParts>;
  shell(id: string, command: string): Promise<void>;
  abort(id: string): Promise<void>;
  revert(id: string, messageID: string): Promise<Session>;
  unrevert(id: string): Promise<Session>;
  /** Copies the history before `messageID`, or all of it. */
  fork(id: string, messageID?: string): Promise<Session>;
  /** A manual compaction; resolves when it is over. */
  summarize(id: string, model: ModelRef): Promise<void>;
  /** Resolves at once if the session is idle, else when it becomes so. */
  waitIdle(id: string): Promise<void>;
  events(): Promise<EventStream>;
  /** Any other route. */
  request<Result>(method: string, path: string, body?: object): Promise<Result>;
}

export class HostError extends Error {
  constructor(
    readonly status: number,
    readonly route: string,
    readonly body: string,
  ) {
    super(`${route}: HTTP ${status} ${body}`);
    this.name = "HostError";
  }
}

/** `baseUrl` is asked again at each request, since a restarted host has another port. */
export function makeClient(baseUrl: () => string, folder: string): Client {
  const events = () => subscribe(`${baseUrl()}/event?directory=${encodeURIComponent(folder)}`);

  async function request<Result>(method: string, path: string, body?: object): Promise<Result> {
    const response = await fetch(baseUrl() + path, {
      method,
      headers: { "content-type": "application/json", "x-opencode-directory": folder },
      ...(method === "GET" ? {} : { body: JSON.stringify(body ?? {}) }),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const answer = await response.text();
    if (!response.ok) throw new HostError(response.status, `${method} ${path}`, answer);
    return JSON.parse(answer || "null");
  }

  async function waitIdle(id: string) {
    const stream = await events();
    const idle = stream.next(isIdle(id));
    idle.catch(() => "closed below");
    const statuses = await request<Record<string, SessionStatus>>("GET", "/session/status");
    const busy = (statuses[id]?.type ?? "idle") !== "idle";
    if (busy) await idle;
    stream.close();
  }

  const at = (id: string, action: string) => `/session/${id}${action}`;
  return {
    folder,
    events,
    request,
    waitIdle,
    createSession: (parentID) => request("POST", "/session", parentID ? { parentID } : {}),
    session: (id) => request("GET", at(id, "")),
    children: (id) => request("GET", at(id, "/children")),
    deleteSession: (id) => request("DELETE", at(id, "")),
    messages: (id) => request("GET", at(id, "/message")),
    prompt: (id, text, settings = {}) =>
      request("POST", at(id, "/message"), promptBody(text, settings)),
    async promptAsync(id, text, settings = {}) {
      const stream = await events();
      const settled = stream.next(isIdle(id)).then(() => stream.close());
      settled.catch(() => "reported by whoever awaits it; a killed host ends it unawaited");
      await request("POST", at(id, "/prompt_async"), promptBody(text, settings));
      return { settled };
    },
    command: (id, name, args) =>
      request("POST", at(id, "/command"), { command: name, arguments: args }),
    shell: (id, command) => request("POST", at(id, "/shell"), { agent: "build", command }),
    abort: (id) => request("POST", at(id, "/abort")),
    revert: (id, messageID) => request("POST", at(id, "/revert"), { messageID }),
    unrevert: (id) => request("POST", at(id, "/unrevert")),
    fork: (id, messageID) => request("POST", at(id, "/fork"), messageID ? { messageID } : {}),
    summarize: (id, model) => request("POST", at(id, "/summarize"), model),
  };
}

/** A prompt is answered when its whole turn is over: on a busy machine one of many calls takes minutes. */
const REQUEST_TIMEOUT_MS = 170_000;

function promptBody(text: string, settings: PromptSettings): object {
  return { ...settings, parts: [{ type: "text", text }] };
}

function isIdle(session: string) {
  return ({ type, properties }: HostEvent) =>
    type === "session.idle" && properties.sessionID === session;
}
