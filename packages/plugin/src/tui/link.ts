// Finds the server's plugin, and finds it again after a restart.
import type { AddressLookupResult } from "../tui-server/address-file.ts";
import type { ChannelClient } from "../tui-server/client.ts";
import type { ChannelAddress, ChannelId } from "../tui-server/protocol.ts";
import type { LinkState } from "./view.ts";

/** Connects a terminal UI to its server's plugin; each function may fail at any time. */
interface LinkDeps {
  /** Asks on the host's bus which servers are there; a host that is away does not hear the question. */
  readonly greet: () => void;
  readonly find: (id: ChannelId) => AddressLookupResult;
  readonly connect: (address: ChannelAddress) => ChannelClient;
  /** Runs work later; returns a function that cancels it. */
  readonly later: (work: () => void, delayMs: number) => () => void;
  /** Is called when the link has changed; `client` is null unless it is linked. */
  readonly notifyChange: (link: LinkState, client: ChannelClient | null) => void;
}

/**
 * Limits the first wait: a server that has the plugin answers in milliseconds, one that is starting in
 * seconds.
 */
const FIRST_REPLY_TIMEOUT_MS = 4_000;
const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 60_000] as const;
/** A server that was there a moment ago is greeted at least this often, because someone is watching. */
const MAX_LOST_RETRY_DELAY_MS = 4_000;
/** A host that has just come may leave this many greetings unanswered before its silence means anything. */
const MAX_UNANSWERED_GREETINGS = 3;

/**
 * Finds the server's plugin and keeps track of it: greets until the plugin answers, and again when the host
 * has come back or the channel has broken.
 */
export class ServerLink {
  #linkedId: ChannelId | null = null;
  /**
   * `searching`: an answer, or its absence, is shown; `known`: what is shown stands until an answer comes;
   * `lost`: what is shown stands too, and greetings are frequent, because an answer is expected.
   */
  #phase: "searching" | "known" | "lost" = "searching";
  #unanswered = 0;
  #callOff: () => void = () => undefined;
  #isClosed = false;

  constructor(private readonly deps: LinkDeps) {}

  start(): void {
    this.#greet(FIRST_REPLY_TIMEOUT_MS);
  }

  /**
   * Handles the announcement of a server's channel, which goes to every terminal UI that greets the server.
   */
  onAnnounced(id: ChannelId): void {
    if (this.#isClosed || id === this.#linkedId) return;
    const found = this.deps.find(id);
    this.#callOff();
    this.#phase = "known";
    switch (found.kind) {
      case "found":
        this.#linkedId = id;
        this.deps.notifyChange({ kind: "linked" }, this.deps.connect(found.address));
        break;
      case "missing":
        this.deps.notifyChange({ kind: "elsewhere" }, null);
        break;
      case "unusable":
        this.deps.notifyChange({ kind: "unusable", reason: found.reason }, null);
        break;
    }
  }

  /**
   * Handles a connection to the host's server, whether new or restored: the server that answered before may
   * have been replaced.
   */
  onServerConnected(): void {
    if (this.#isClosed) return;
    this.#phase = "searching";
    this.#unanswered = 0;
    this.#greet(FIRST_REPLY_TIMEOUT_MS);
  }

  /** Handles a channel that no longer answers. */
  onBroken(): void {
    if (this.#isClosed || this.#linkedId === null) return;
    this.#linkedId = null;
    this.#phase = "lost";
    this.#unanswered = 0;
    this.deps.notifyChange({ kind: "lost" }, null);
    this.#greet(RETRY_DELAYS_MS[0]);
  }

  close(): void {
    this.#isClosed = true;
    this.#callOff();
  }

  #greet(patienceMs: number): void {
    this.#callOff();
    this.#callOff = this.deps.later(() => this.#greetAgain(), patienceMs);
    this.deps.greet();
  }

  #greetAgain(): void {
    if (this.#isClosed || this.#linkedId !== null) return;
    this.#unanswered += 1;
    if (this.#unanswered === MAX_UNANSWERED_GREETINGS && this.#phase === "searching") {
      this.#phase = "known";
      this.deps.notifyChange({ kind: "absent" }, null);
    }
    const retry = Math.min(this.#unanswered, RETRY_DELAYS_MS.length) - 1;
    const delayMs = RETRY_DELAYS_MS[retry] ?? FIRST_REPLY_TIMEOUT_MS;
    this.#greet(this.#phase === "lost" ? Math.min(delayMs, MAX_LOST_RETRY_DELAY_MS) : delayMs);
  }
}
