// The updates of one model call, and how they will be recognised in the request.
import { isWrapped } from "../../context/lowering.ts";
import { madePartId } from "../../projection/made.ts";
import { type HostMessage, isText } from "../../projection/message.ts";
import type { FormOwner } from "../../storage/form-store.ts";
import type { EntryRecord } from "../../storage/ledger-table.ts";
import type { StandingUpdate } from "./body.ts";
import type { Family } from "./gate.ts";

/** An update of a call; `fresh`: this call's own boundary has decided it, so nobody has seen it. */
export interface PlannedUpdate extends StandingUpdate {
  readonly age: "fresh" | "sent";
}

/** What may be lowered in the requests of one model call. */
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
  const announcing = new Map(
    entries.flatMap((entry) =>
      entry.edit?.verb === "insert" && entry.announced.length > 0 && isWrapped(entry.edit.text)
        ? [[madePartId(entry.seq), entry] as const]
        : [],
    ),
  );
  if (announcing.size === 0) return [];
  const seen = new Map<string, number>();
  const updates: PlannedUpdate[] = [];
  for (const { info, parts } of messages) {
    if (info.role !== "user") continue;
    for (const part of parts) {
      if (!isText(part) || part.ignored === true || !isWrapped(part.text)) continue;
      const nth = seen.get(part.text) ?? 0;
      seen.set(part.text, nth + 1);
      const entry = announcing.get(part.id);
      if (!entry) continue;
      const age = entry.decidedAtMs === boundaryAtMs ? "fresh" : "sent";
      updates.push({ seq: entry.seq, text: part.text, nth, age });
    }
  }
  return updates;
}
