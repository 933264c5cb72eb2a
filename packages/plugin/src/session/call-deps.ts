// Holds what a location's calls are decided and sent with, beside their own history.
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
  /** Returns the open database. @throws StorageError while there is none. */
  readonly database: () => RuntimeDatabase;
  readonly location: Location;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  readonly settings: RuntimeSettings;
  readonly hostPrune: () => "on" | "off";
  /** Lists the policies in the order of the ledger. */
  readonly policies: () => readonly Policy[];
  /** Lists the sightings of features; nested instructions are recognised in any case. */
  readonly witnesses: () => readonly FindSightings[];
  /** Measures the space of the call that is about to be sent. */
  readonly measureSpace: (call: SpaceQuestion) => CallSpace | Promise<CallSpace>;
  /** Returns our own tools that the call is not offered. */
  readonly withheld: (call: ToolQuestion) => WithheldNames | Promise<WithheldNames>;
  readonly files: FileCache;
  readonly boundFailure: BoundFailure;
  /** Receives what each boundary observed, for status and diagnosis. */
  readonly observed: (sessionId: SessionId, observed: ObservedContext) => void;
  readonly decided: OnDecision;
  /** Is called when something could not be stored or read; the turn goes on without it. */
  readonly storageFailed: (error: unknown) => void;
}

/** The facts of a call by which its space is found. */
interface SpaceQuestion {
  readonly sessionId: SessionId;
  readonly providerId: string;
  readonly modelId: string;
  /** The messages as they would be sent if nothing were decided. */
  readonly projected: readonly HostMessage[];
  readonly isOutdated: IsOutdated;
}

/** Tools by name; null if unknown. */
type WithheldNames = ReadonlySet<string> | null;

/** The facts of a call by which the host decides what tools it offers. */
export interface ToolQuestion {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly providerId: string;
  readonly modelId: string;
  readonly messages: readonly HostMessage[];
  /** All tools of the call by name, where the host says so before it is decided; else null. */
  readonly offered: ReadonlySet<string> | null;
}
