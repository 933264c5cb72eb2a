// What the host's own history has shown the model: how a feature recognises it.
import type { Snapshot } from "../context/snapshot.ts";
import type { Draft } from "./draft.ts";
import type { Entry } from "./entry.ts";
import type { HostMessage } from "./message.ts";

export interface SightingInput {
  /** Messages that may show something that is not on record, as they are sent. */
  readonly messages: readonly HostMessage[];
  /** What the model received before them. */
  readonly snapshot: Snapshot;
  /** What is on record of this epoch already. */
  readonly standing: readonly Entry[];
}

/** Drafts without an edit, each tied to the part that shows what it announces. Pure. */
export type FindSightings = (sighting: SightingInput) => readonly Draft[];
