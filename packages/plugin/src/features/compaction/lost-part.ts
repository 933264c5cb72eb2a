// Determines, once per summary, which parts of the brief the summary at the start of a session lost.
import { decode } from "../../context/encoding.ts";
import { sourceKey } from "../../context/key.ts";
import { findEntry, type Snapshot } from "../../context/snapshot.ts";
import { absent, type LoadResult, Unavailable } from "../../context/source.ts";
import { make, type SystemContext } from "../../context/system-context.ts";
import type { HistoryHead } from "../../session/history.ts";
import type { SummaryPlace } from "../../session/session-sources.ts";
import { StorageError } from "../../storage/errors.ts";
import type { SessionId } from "../../storage/records.ts";
import type { RuntimeDatabase } from "../../storage/store.ts";
import {
  continuityKey,
  continuitySource,
  findMissing,
  type LostPart,
  lostSchema,
} from "./summary-check.ts";

/** Caches what the summary at a session's head has lost of its brief. */
export class LostParts {
  #known: { readonly summaryId: string; readonly lost: LostPart | typeof absent } | null = null;

  constructor(private readonly database: () => RuntimeDatabase) {}

  /** Returns the source that announces the lost part. */
  context(sessionId: SessionId, at: () => SummaryPlace): SystemContext {
    return make(
      continuitySource(() => {
        const { head, belief } = at();
        return this.of(sessionId, head, belief);
      }),
    );
  }

  of(sessionId: SessionId, head: HistoryHead, belief: Snapshot): LoadResult<LostPart> {
    switch (head.kind) {
      case "whole":
        return absent;
      case "broken":
        // What was announced of the compaction before it stays in effect.
        return knownPart(belief);
      case "compacted": {
        if (this.#known?.summaryId === head.summaryId) return this.#known.lost;
        const lost = this.#check(sessionId, head);
        if (!(lost instanceof Unavailable)) this.#known = { summaryId: head.summaryId, lost };
        return lost;
      }
    }
  }

  #check(
    sessionId: SessionId,
    { compactionId, summary }: HistoryHead & { readonly kind: "compacted" },
  ): LostPart | typeof absent | Unavailable {
    try {
      const brief = this.database().briefs.ofCompaction(sessionId, compactionId);
      const missing = brief && findMissing(brief.essentials, summary);
      return missing ? { compactionId, ...missing } : absent;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return new Unavailable(error.code);
    }
  }
}

function knownPart(belief: Snapshot): LostPart | typeof absent {
  const entry = findEntry(belief, sourceKey(continuityKey));
  return (entry && decode(lostSchema, entry.json)?.value) ?? absent;
}
