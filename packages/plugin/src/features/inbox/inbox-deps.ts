// Declares what the inbox depends on: database, host, settings, clock.

import type { SourceCall } from "../../feature-api/feature-context.ts";
import type { InboxHost } from "../../feature-api/prompt-host.ts";
import type { SessionId } from "../../storage/records.ts";
import type { RuntimeDatabase } from "../../storage/store.ts";
import { leaseStore } from "./lease-store.ts";
import type { HostIds } from "./message-id.ts";
import { inboxStore } from "./store.ts";

export type InboxDatabase = ReturnType<typeof inboxDatabase>;

/** Selects the tables that the inbox uses. */
export function inboxDatabase({ store }: Pick<RuntimeDatabase, "store">) {
  return { inbox: store(inboxStore), leases: store(leaseStore) };
}

export interface InboxDeps {
  /** Opens the database. @throws StorageError */
  readonly ensure: () => Promise<void>;
  /** The open database. @throws StorageError while there is none. */
  readonly database: () => InboxDatabase;
  readonly host: InboxHost;
  /** The project directory of this instance. */
  readonly directory: string;
  readonly ids: HostIds;
  /** Identifies this process among those that share the database. */
  readonly owner: string;
  readonly isProcessDead: (owner: string) => boolean;
  readonly recovery: "ask" | "auto" | "off";
  /** Keys of required sources that can't load now; empty where prompts are not to be refused for them. */
  readonly missingSources: (prompt: SourceCall) => Promise<readonly string[]>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `work` once, after so many milliseconds, without keeping the process alive. */
  readonly later: (work: () => void, delayMs: number) => void;
  /** Traces one check of a session's inbox; `look` resolves to a word for the outcome. */
  readonly traced: (sessionId: SessionId, look: () => Promise<string>) => Promise<void>;
  /** Reports something to the user about one session. */
  readonly notify: (sessionId: SessionId, text: string) => void;
  /** Something of ours went wrong; the session goes on. */
  readonly failed: (where: string, error: unknown) => void;
  /** The same work went well. */
  readonly worked: (where: string) => void;
}
