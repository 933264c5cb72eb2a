// The parts of one inbox: what it is built on, and what only its process knows.
import type { SessionId } from "../../storage/records.ts";
import { HoldNotices } from "./hold-notices.ts";
import { InFlightPrompts } from "./in-flight-prompts.ts";
import type { InboxDeps } from "./inbox-deps.ts";
import { Leases } from "./leases.ts";
import { Lifetime } from "./lifetime.ts";
import { LiveParts } from "./live-parts.ts";
import { QueuedPromptIds } from "./queued-prompt-ids.ts";
import type { InboxStore } from "./store.ts";

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

export function newInstance(deps: InboxDeps, wake: Instance["wake"]): Instance {
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
