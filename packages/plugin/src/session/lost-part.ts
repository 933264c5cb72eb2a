// What the summary at the start of a session lost, determined once per summary.
import { decode } from "../context/encoding.ts";
import { sourceKey } from "../context/key.ts";
import { entryOf, type Snapshot } from "../context/snapshot.ts";
import { absent, type Loaded, Unavailable } from "../context/source.ts";
import {
  continuityKey,
  type LostPart,
  lostSchema,
  missingFrom,
} from "../continuity/summary-check.ts";
import type { SessionId } from "../storage/records.ts";
import { type RuntimeDatabase, StorageError } from "../storage/store.ts";
import type { HeadCompaction } from "./compaction.ts";

/** What the summary at a session's head has lost of its brief; found out once per summary. */
export class LostParts {
  #known: { readonly summaryId: string; readonly lost: LostPart | typeof absent } | null = null;

  constructor(private readonly database: () => RuntimeDatabase) {}

  of(sessionId: SessionId, head: HeadCompaction, told: Snapshot): Loaded<LostPart> {
    switch (head.kind) {
      case "none":
        return absent;
      case "unfinished":
        return toldPart(told);
      case "finished": {
        if (this.#known?.summaryId === head.summaryId) return this.#known.lost;
        const lost = this.#check(sessionId, head);
        if (!(lost instanceof Unavailable)) this.#known = { summaryId: head.summaryId, lost };
        return lost;
      }
    }
  }

  #check(
    sessionId: SessionId,
    { compactionId, summary }: HeadCompaction & { readonly kind: "finished" },
  ): LostPart | typeof absent | Unavailable {
    try {
      const brief = this.database().briefs.ofCompaction(sessionId, compactionId);
      const missing = brief && missingFrom(brief.essentials, summary);
      return missing ? { compactionId, ...missing } : absent;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return new Unavailable(error.code);
    }
  }
}

/** The belief stands as it is. */
function toldPart(told: Snapshot): LostPart | typeof absent {
  const entry = entryOf(told, sourceKey(continuityKey));
  if (!entry) return absent;
  const decoded = decode(lostSchema, entry.json);
  return decoded.kind === "decoded" ? decoded.value : absent;
}
