// Wraps the process's fetch, once per process.
import { BoundedMap } from "../../context/bounded-map.ts";

/** Sends one of a session's requests, or returns null to let it pass unchanged. */
export type SessionSend = (
  request: { readonly url: URL; readonly body: string },
  send: (body: string | null) => Promise<Response>,
) => Promise<Response> | null;

type Fetch = typeof globalThis.fetch;

/** The process's one wrapper, shared by every instance of the plugin and every copy of its code. */
interface FetchWrapper {
  readonly senders: Map<string, SessionSend>;
  readonly originalFetch: Fetch;
  readonly wrapper: Fetch;
  users: number;
}

const FETCH_MARK = Symbol.for("session-runtime/global-fetch");

type SharedFetch = typeof globalThis & { [FETCH_MARK]?: FetchWrapper };

/** The header in which the host names the session in its requests to providers. */
const SESSION_HEADER = "x-session-id";

/** The most sessions that have a sender; the one set longest ago is forgotten first. */
const MAX_SENDERS = 128;

/** One instance's share in the wrapper of the process's fetch. */
export class GlobalFetch {
  #exchange: FetchWrapper | null = null;
  readonly #mine = new Set<string>();

  /** Sends the session's requests through `sender` from now on. */
  set(sessionId: string, sender: SessionSend): void {
    this.#exchange ??= acquireWrapper();
    const { senders } = this.#exchange;
    senders.set(sessionId, sender);
    this.#mine.add(sessionId);
  }

  remove(sessionId: string): void {
    if (this.#mine.delete(sessionId)) this.#exchange?.senders.delete(sessionId);
  }

  /** Restores the process's own fetch, if nobody else needs the wrapper or has wrapped it. */
  close(): void {
    const exchange = this.#exchange;
    if (!exchange) return;
    for (const sessionId of this.#mine) exchange.senders.delete(sessionId);
    this.#mine.clear();
    this.#exchange = null;
    releaseWrapper(exchange);
  }
}

function acquireWrapper(): FetchWrapper {
  const shared = globalThis as SharedFetch;
  const exchange = shared[FETCH_MARK] ?? wrapFetch(shared.fetch);
  if (!shared[FETCH_MARK]) {
    shared[FETCH_MARK] = exchange;
    shared.fetch = exchange.wrapper;
  }
  exchange.users += 1;
  return exchange;
}

function releaseWrapper(exchange: FetchWrapper): void {
  const shared = globalThis as SharedFetch;
  exchange.users -= 1;
  if (exchange.users > 0 || shared.fetch !== exchange.wrapper) return;
  shared.fetch = exchange.originalFetch;
  delete shared[FETCH_MARK];
}

function wrapFetch(inner: Fetch): FetchWrapper {
  const senders = new BoundedMap<string, SessionSend>(MAX_SENDERS);
  const callFetch = (input: Parameters<Fetch>[0], init: Parameters<Fetch>[1]) => {
    const callInner = () => inner(input, init);
    if (senders.size === 0 || typeof init?.body !== "string") return callInner();
    const sender = senders.get(new Headers(init.headers).get(SESSION_HEADER) ?? "");
    const url = sender && toUrl(input);
    if (!sender || !url) return callInner();
    const send = (body: string | null) =>
      body === null ? callInner() : inner(input, { ...init, body });
    return sender({ url, body: init.body }, send) ?? callInner();
  };
  // Copies whatever else is attached to fetch (Bun's `preconnect`).
  const wrapper: Fetch = Object.assign(
    (input: Parameters<Fetch>[0], init?: Parameters<Fetch>[1]) => callFetch(input, init),
    inner,
  );
  return { senders, originalFetch: inner, wrapper, users: 0 };
}

function toUrl(input: Parameters<Fetch>[0]): URL | null {
  if (input instanceof URL) return input;
  return typeof input === "string" && URL.canParse(input) ? new URL(input) : null;
}
