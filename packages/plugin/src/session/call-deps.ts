// What a location's calls are decided and sent with, beside their own history.
import type { ObservedContext } from "../context/observe.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { Policy } from "../ledger/policy.ts";
import type { FindSightings } from "../ledger/sightings.ts";
import type { CallSpace, IsOutdated } from "../ledger/space.ts";
import type { FileCache } from "../sources/file-cache.ts";
import type { Location, SessionId } from "../storage/records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";
import type { OnDecision } from "./decision-event.ts";
import type { BoundFailure } from "./failed-calls.ts";
import type { SessionStates } from "./session-state.ts";
import type { RuntimeSettings } from "./settings.ts";

export interface CallDeps {
  readonly memories: SessionStates;
  /** The open database. @throws StorageError while there is none. */
  readonly database: () => RuntimeDatabase;
  readonly location: Location;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly settings: RuntimeSettings;
  readonly hostPrune: () => "on" | "off";
  /** In the order of the ledger. */
  readonly policies: () => readonly Policy[];
  /** Those of features; nested instructions are looked for in any case. */
  readonly witnesses: () => readonly FindSightings[];
  /** How much room the call has that is about to be sent. */
  readonly measureSpace: (call: SpaceQuestion) => CallSpace | Promise<CallSpace>;
  /** Which of our own tools the call is not offered. */
  readonly withheld: (call: ToolQuestion) => WithheldNames | Promise<WithheldNames>;
  readonly files: FileCache;
  readonly boundFailure: BoundFailure;
  /** Hears what each boundary saw, for status and diagnosis. */
  readonly observed: (sessionId: SessionId, observed: ObservedContext) => void;
  readonly decided: OnDecision;
  /** Something could not be stored or read; the turn goes on with what is. */
  readonly storageFailed: (error: unknown) => void;
}

/** What the room of a call is found out by. */
interface SpaceQuestion {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly modelId: string;
  /** As it would be sent if nothing were decided. */
  readonly projected: readonly HostMessage[];
  readonly isOutdated: IsOutdated;
}

/** By name; null: nobody knows. */
type WithheldNames = ReadonlySet<string> | null;

/** Whose call it is, by which the host decides what tools it offers. */
export interface ToolQuestion {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  readonly messages: readonly HostMessage[];
  /** All tools of the call by name, where the host says so before it is decided. */
  readonly offered: ReadonlySet<string> | null;
}
