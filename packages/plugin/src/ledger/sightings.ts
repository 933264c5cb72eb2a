// Lets a feature recognise what the host's own history has shown the model.
import type { Snapshot } from "../context/snapshot.ts";
import type { Draft } from "./draft.ts";
import type { Entry } from "./entry.ts";
import type { HostMessage } from "./message.ts";

export interface SightingInput {
  /** Messages, as they are sent, that may show something that is not on record. */
  readonly messages: readonly HostMessage[];
  /** The snapshot that the model received before them. */
  readonly snapshot: Snapshot;
  /** Entries of this epoch that are on record already. */
  readonly standing: readonly Entry[];
}

/** Returns drafts without an edit, each tied to the part that shows what it announces. Pure. */
export type FindSightings = (sighting: SightingInput) => readonly Draft[];
