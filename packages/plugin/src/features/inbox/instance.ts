// The parts of one inbox: its lifetime, its leases, and what only its own process knows.
import type { HistoryPart } from "../../feature-api/prompt.ts";
import { StorageError } from "../../storage/errors.ts";
import type { SessionId } from "../../storage/records.ts";
import { InFlightPrompts } from "./in-flight-prompts.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { containsAllParts, isPromptComplete } from "./prompt-status.ts";
import type { InboxStore } from "./store.ts";

// Tracks whether an inbox is open, and runs the work that it postpones.

/** The name under which a failure of unawaited work is reported. */
type FailureContext = "inbox" | "promotion" | "lease";

/**
 * Once closed, the inbox no longer opens, sends or writes anything, because another instance has the
 * sessions.
 */
class Lifetime {
  #life: "open" | "closed" = "open";

  constructor(private readonly deps: Pick<InboxDeps, "ensure" | "later" | "failed" | "worked">) {}

  get isClosed(): boolean {
    return this.#life === "closed";
  }

  close(): void {
    this.#life = "closed";
  }

  /** Opens the database. @throws StorageError, also if the inbox has been closed */
  async ensure(): Promise<void> {
    if (this.isClosed) throw new StorageError("unopenable", "This inbox was closed.");
    await this.deps.ensure();
  }

  /** Does the work after `delayMs` milliseconds, unless the inbox has been closed by then. */
  schedule(where: FailureContext, delayMs: number, work: () => void | Promise<void>): void {
    this.deps.later(() => void this.runAlone(where, work), delayMs);
  }

  /** Does work that nobody waits for; a failure is reported. */
  async runAlone(where: FailureContext, work: () => void | Promise<void>): Promise<void> {
    if (this.isClosed) return;
    try {
      await work();
      this.deps.worked(where);
    } catch (error) {
      this.reportFailure(where, error);
    }
  }

  /** Reports a failure, unless the inbox is closed: work that it had postponed can't fail then. */
  reportFailure(where: FailureContext, error: unknown): void {
    if (!this.isClosed) this.deps.failed(where, error);
  }
}

// Holds the leases of the sessions that this process drives: takes them, renews them by one timer, and
// releases them.

/** How long a lease lasts if it is not renewed: longer than any pause of a living process. */
const LEASE_DURATION_MS = 120_000;
const LEASE_RENEWAL_INTERVAL_MS = 20_000;

class Leases {
  readonly #held = new Set<SessionId>();
  #renewal: "none" | "due" = "none";

  constructor(
    private readonly deps: Pick<InboxDeps, "database" | "owner" | "isProcessDead" | "now">,
    private readonly lifetime: Pick<Lifetime, "schedule">,
  ) {}

  has(sessionId: SessionId): boolean {
    return this.#held.has(sessionId);
  }

  /** Takes or renews the lease; `none`: another process holds it. @throws StorageError */
  acquire(sessionId: SessionId): "held" | "none" {
    const { owner, isProcessDead } = this.deps;
    const nowMs = this.deps.now();
    const request = {
      sessionId,
      owner,
      isProcessDead,
      nowMs,
      expiresAtMs: nowMs + LEASE_DURATION_MS,
    };
    if (this.deps.database().leases.acquire(request) === "held") {
      this.#held.delete(sessionId);
      return "none";
    }
    this.#held.add(sessionId);
    if (this.#renewal === "none") this.#scheduleRenewal();
    return "held";
  }

  /** @throws StorageError */
  release(sessionId: SessionId): void {
    if (!this.#held.delete(sessionId)) return;
    this.deps.database().leases.release(sessionId, this.deps.owner);
  }

  /** @throws StorageError */
  releaseAll(): void {
    for (const sessionId of this.#held) this.release(sessionId);
  }

  #scheduleRenewal(): void {
    this.#renewal = "due";
    this.lifetime.schedule("lease", LEASE_RENEWAL_INTERVAL_MS, () => this.#renew());
  }

  /** Plans the next renewal before renewing, because a renewal that fails skips the remaining ones. */
  #renew(): void {
    this.#renewal = "none";
    if (this.#held.size === 0) return;
    this.#scheduleRenewal();
    for (const sessionId of this.#held) this.acquire(sessionId);
  }
}

// Keeps the parts of prompts that came to this process, both as we left them and as the host's own lists hold
// them.

type MessageParts = readonly Readonly<Record<string, unknown>>[];

const MAX_LIVE_PROMPTS = 1_000;

export class LiveParts {
  /** Our lists of part ids and the host's parts, by message id; other plugins may change `live` after us. */
  readonly #prompts = new Map<
    string,
    { readonly ids: readonly string[]; readonly live: MessageParts }
  >();

  constructor(private readonly rows: () => Pick<InboxStore, "find" | "prompt" | "resolve">) {}

  keep(messageId: string, live: MessageParts): void {
    if (this.#prompts.size > MAX_LIVE_PROMPTS) this.#prompts.clear();
    this.#prompts.set(messageId, { ids: listPartIds(live), live });
  }

  forget(messageId: string): void {
    this.#prompts.delete(messageId);
  }

  /**
   * Says whether all of a prompt's parts are there. They are compared with those in memory or, if the prompt
   * did not come to this process, with the stored ones.
   */
  hasAllParts(messageId: string, parts: readonly HistoryPart[]): boolean {
    const known = this.#prompts.get(messageId);
    if (known) return containsAllParts(parts, listPartIds(known.live));
    const input = this.rows().find(messageId);
    const prompt = input && this.rows().prompt(input.id);
    return prompt === null || isPromptComplete(parts, prompt);
  }

  /**
   * Removes from the stored prompt the parts that another plugin has taken out after us, because the prompt
   * is complete without them.
   */
  follow(messageId: string): void {
    const known = this.#prompts.get(messageId);
    const left = new Set(known && listPartIds(known.live));
    const gone = new Set(known?.ids.filter((id) => !left.has(id)));
    if (gone.size === 0) return;
    const input = this.rows().find(messageId);
    const stored = input && this.rows().prompt(input.id);
    if (!stored) return;
    const parts = stored.parts.filter(({ id }) => !gone.has(String(id)));
    this.rows().resolve(input.id, { ...stored, parts });
  }
}

function listPartIds(parts: MessageParts): readonly string[] {
  return parts.map(({ id }) => String(id));
}

// Keeps the last notice of a hold or a crash: it is shown once and remembered until work continues.

class HoldNotices {
  readonly #texts = new Map<SessionId, string>();

  constructor(private readonly notify: InboxDeps["notify"]) {}

  /** Returns the session's notice; null if nothing is held. */
  findNotice(sessionId: SessionId): string | null {
    return this.#texts.get(sessionId) ?? null;
  }

  show(sessionId: SessionId, text: string): void {
    if (this.findNotice(sessionId) === text) return;
    this.#texts.set(sessionId, text);
    this.notify(sessionId, text);
  }

  /** Clears the notice when a prompt is admitted, work continues, or nothing is open. */
  clear(sessionId: SessionId): void {
    this.#texts.delete(sessionId);
  }
}

// Tracks, by session, messages of prompts that no boundary has held yet: the rows are read once, then it is
// known here.

class QueuedPromptIds {
  readonly #bySession = new Map<SessionId, Set<string>>();

  constructor(private readonly rows: () => Pick<InboxStore, "working">) {}

  /** @throws StorageError if the rows have to be read and can't be */
  listIds(sessionId: SessionId): ReadonlySet<string> {
    return this.#bySession.get(sessionId) ?? this.#read(sessionId);
  }

  /** Returns true if the message is known to be a queued prompt. */
  has(sessionId: SessionId, messageId: string): boolean {
    return this.#bySession.get(sessionId)?.has(messageId) ?? false;
  }

  /** Remembers a prompt whose row exists. @throws StorageError if the rows have to be read and can't be */
  add(sessionId: SessionId, messageId: string): void {
    const known = this.#bySession.get(sessionId);
    if (known) known.add(messageId);
    else this.#read(sessionId);
  }

  remove(sessionId: SessionId, messageIds: readonly string[]): void {
    for (const messageId of messageIds) this.#bySession.get(sessionId)?.delete(messageId);
  }

  /** Forgets a session's ids, which are read again when the session is next used. */
  forget(sessionId: SessionId): void {
    this.#bySession.delete(sessionId);
  }

  #read(sessionId: SessionId): ReadonlySet<string> {
    const open = this.rows()
      .working(sessionId)
      .filter(({ promotedAtMs }) => promotedAtMs === null);
    const read = new Set(open.flatMap(({ messageId }) => messageId ?? []));
    this.#bySession.set(sessionId, read);
    return read;
  }
}

export interface Instance {
  readonly deps: InboxDeps;
  /** The stored prompts. @throws StorageError while the database is not open */
  readonly rows: () => InboxStore;
  readonly lifetime: Lifetime;
  readonly traffic: InFlightPrompts;
  readonly leases: Leases;
  readonly unpromoted: QueuedPromptIds;
  readonly live: LiveParts;
  readonly holds: HoldNotices;
  /** Starts a check of the session as soon as none is running. */
  readonly wake: (sessionId: SessionId) => void;
}

export function createInstance(deps: InboxDeps, wake: Instance["wake"]): Instance {
  const rows = () => deps.database().inbox;
  const lifetime = new Lifetime(deps);
  return {
    deps,
    rows,
    lifetime,
    traffic: new InFlightPrompts(deps.now),
    leases: new Leases(deps, lifetime),
    unpromoted: new QueuedPromptIds(rows),
    live: new LiveParts(rows),
    holds: new HoldNotices(deps.notify),
    wake,
  };
}
