// The updates of one model call, and how they will be recognised in the request.
import { isWrapped, updatesAtEnd } from "../../context/lowering.ts";
import {
  type HostMessage,
  type HostPart,
  hasEnded,
  isText,
  type MessageInfo,
  sentResultText,
} from "../../ledger/message.ts";
import { syntheticPartId } from "../../ledger/synthetic.ts";
import type { FormOwner } from "../../storage/form-store.ts";
import type { EntryRecord } from "../../storage/ledger-table.ts";
import type { SentUpdate } from "./body.ts";
import type { Family } from "./gate.ts";

/** An update of a call; `fresh`: this call's own boundary has decided it, so nobody has seen it. */
export interface PlannedUpdate extends SentUpdate {
  readonly age: "fresh" | "sent";
}

/** The updates that may be sent natively in the requests of one model call. */
export interface LoweringPlan {
  readonly owner: FormOwner;
  readonly family: Family;
  /** The model's name in requests. */
  readonly apiId: string;
  readonly updates: readonly PlannedUpdate[];
}

/** The updates of a history as it is sent, in its order, each with where it will be found again. */
export function plannedUpdates(
  messages: readonly HostMessage[],
  entries: readonly EntryRecord[],
  boundaryAtMs: number,
): readonly PlannedUpdate[] {
  const announcing = entries.filter(isAnnouncing);
  if (announcing.length === 0) return [];
  const { bySeq, byPlace } = indexAnnouncements(announcing);
  const counts = { text: new Map<string, number>(), result: new Map<string, number>() };
  return messages.flatMap(({ info, parts }) =>
    parts.flatMap((part) =>
      textsIn(info, part).flatMap(({ place, text, isOurs }): readonly PlannedUpdate[] => {
        const nth = counts[place].get(text) ?? 0;
        counts[place].set(text, nth + 1);
        const entry =
          place === "text"
            ? bySeq.get(part.id)
            : isOurs
              ? byPlace.get(`${info.id} ${text}`)?.shift()
              : undefined;
        if (!entry) return [];
        const age = entry.decidedAtMs === boundaryAtMs ? "fresh" : "sent";
        return [{ seq: entry.seq, text, place, nth, age }];
      }),
    ),
  );
}

function isAnnouncing({ edit, announced }: EntryRecord): boolean {
  return edit?.verb === "insert" && announced.length > 0 && isWrapped(edit.text);
}

function indexAnnouncements(entries: readonly EntryRecord[]) {
  const byPlace = new Map<string, EntryRecord[]>();
  for (const entry of entries) {
    if (entry.edit?.verb !== "insert") continue;
    const place = `${entry.edit.after.messageId} ${entry.edit.text}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), entry]);
  }
  return { bySeq: new Map(entries.map((entry) => [syntheticPartId(entry.seq), entry])), byPlace };
}

interface PlacedText {
  readonly place: SentUpdate["place"];
  readonly text: string;
  /** True when the projection has put it there. */
  readonly isOurs: boolean;
}

/** Finds the texts that read like an update in a part as it is sent. */
function textsIn({ role }: MessageInfo, part: HostPart): readonly PlacedText[] {
  if (role === "user") {
    if (!isText(part) || part.ignored === true || !isWrapped(part.text)) return [];
    return [{ place: "text", text: part.text, isOurs: true }];
  }
  if (!hasEnded(part) || part.metadata?.providerExecuted) return [];
  const { updates } = updatesAtEnd(sentResultText(part));
  const own = part.added === undefined ? 0 : updatesAtEnd(part.added).updates.length;
  return updates.map((text, index) => {
    return { place: "result", text, isOurs: index >= updates.length - own };
  });
}
