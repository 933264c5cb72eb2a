// Declares what the inbox depends on: database, host, settings, clock.
import type { SourceCall } from "../../feature-api/feature-context.ts";
import type { InboxHost } from "../../feature-api/prompt.ts";
import type { RuntimeDatabase } from "../../storage/database.ts";
import type { SessionId } from "../../storage/records.ts";
import { createLeaseStore } from "./lease-store.ts";
import { createInboxStore } from "./store.ts";

// Makes message ids in the same way as the host.

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHAR_COUNT = 14;
const IDS_PER_MS = 4096n;
const LOW_48_BITS_MASK = (1n << 48n) - 1n;

/**
 * Makes ids as the host does (OpenCode 1.18.33, `Identifier.ascending`): twelve hex digits of milliseconds
 * and a counter, cut to 48 bits, then fourteen random characters.
 */
export class HostIds {
  #lastMs = 0;
  #counter = 0;

  constructor(
    private readonly deps: {
      /** Milliseconds since 1970. */
      readonly now: () => number;
      /** Fills the array with random bytes. */
      readonly random: (bytes: Uint8Array) => void;
    },
  ) {}

  createMessageId(): string {
    return this.#createId("msg");
  }

  createPartId(): string {
    return this.#createId("prt");
  }

  #createId(prefix: "msg" | "prt"): string {
    const nowMs = this.deps.now();
    this.#counter = nowMs === this.#lastMs ? this.#counter + 1 : 1;
    this.#lastMs = nowMs;
    const stamp = (BigInt(nowMs) * IDS_PER_MS + BigInt(this.#counter)) & LOW_48_BITS_MASK;
    const bytes = new Uint8Array(RANDOM_CHAR_COUNT);
    this.deps.random(bytes);
    const tail = Array.from(bytes, (byte) => BASE62[byte % BASE62.length]).join("");
    return `${prefix}_${stamp.toString(16).padStart(12, "0")}${tail}`;
  }
}

export type InboxDatabase = ReturnType<typeof selectInboxStores>;

/** Selects the tables that the inbox uses. */
export function selectInboxStores({ store }: Pick<RuntimeDatabase, "store">) {
  return { inbox: store(createInboxStore), leases: store(createLeaseStore) };
}

export interface InboxDeps {
  /** Opens the database. @throws StorageError */
  readonly ensure: () => Promise<void>;
  /** Returns the open database. @throws StorageError while none is open */
  readonly database: () => InboxDatabase;
  readonly host: InboxHost;
  /** The project directory of this instance. */
  readonly directory: string;
  readonly ids: HostIds;
  /** Identifies this process among those that share the database. */
  readonly owner: string;
  readonly isProcessDead: (owner: string) => boolean;
  readonly recovery: "ask" | "auto" | "off";
  /**
   * Returns keys of required sources that can't be loaded now; empty if prompts are not to be refused for
   * them.
   */
  readonly missingSources: (prompt: SourceCall) => Promise<readonly string[]>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `work` once, after `delayMs` milliseconds, without keeping the process alive. */
  readonly later: (work: () => void, delayMs: number) => void;
  /** Traces one check of a session's inbox; `look` resolves to a word for the outcome. */
  readonly traced: (sessionId: SessionId, look: () => Promise<string>) => Promise<void>;
  /** Reports something to the user about one session. */
  readonly notify: (sessionId: SessionId, text: string) => void;
  /** Reports that something of ours went wrong; the session continues. */
  readonly failed: (where: string, error: unknown) => void;
  /** Reports that the work named by `where` has succeeded. */
  readonly worked: (where: string) => void;
}
