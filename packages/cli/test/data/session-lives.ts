import { toSourceKey } from "@session-runtime/opencode/context/key";
import { selectInboxStores } from "@session-runtime/opencode/features/inbox/inbox-deps";
import { createDatabase } from "@session-runtime/opencode/storage/database";
import type { Driver } from "@session-runtime/opencode/storage/driver";
import type { EntryRecord, EpochRecord } from "@session-runtime/opencode/storage/ledger-table";
import type { SessionId } from "@session-runtime/opencode/storage/records";
import fc from "fast-check";
import { inputRecord } from "../../../plugin/test/features/inbox/records.ts";
import { entryRecord, epochRecord, turnRecord } from "../../../plugin/test/storage/records.ts";

/** One thing that is stored in a session's life. */
export type LifeEvent =
  | { readonly kind: "epoch"; readonly baseline: string }
  | { readonly kind: "entry"; readonly text: string; readonly edit: "insert" | "omit" | "witness" }
  | { readonly kind: "turn"; readonly bust: string | null; readonly tokens: number | null }
  | { readonly kind: "prompt"; readonly text: string; readonly delivery: "steer" | "queue" }
  | { readonly kind: "brief"; readonly text: string };

/** Any string of JavaScript's, half surrogate pairs and NUL included. */
const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 });
const happening: fc.Arbitrary<LifeEvent> = fc.oneof(
  fc.record({ kind: fc.constant("epoch" as const), baseline: text }),
  fc.record({
    kind: fc.constant("entry" as const),
    text,
    edit: fc.constantFrom("insert" as const, "omit" as const, "witness" as const),
  }),
  fc.record({
    kind: fc.constant("turn" as const),
    bust: fc.option(fc.string({ maxLength: 20 })),
    tokens: fc.option(fc.nat(1_000_000)),
  }),
  fc.record({
    kind: fc.constant("prompt" as const),
    text,
    delivery: fc.constantFrom("steer" as const, "queue" as const),
  }),
  fc.record({ kind: fc.constant("brief" as const), text }),
);
/** A session's life, as random as the schema allows. */
export const life = fc.array(happening, { maxLength: 25 });

/** Stores a session's life by the real stores. */
export function live(driver: Driver, sessionId: SessionId, happenings: readonly LifeEvent[]): void {
  const database = createDatabase(driver, "in memory");
  const { ledger, turns, briefs } = database;
  const { inbox } = selectInboxStores(database);
  let seq = 1;
  let epochSeq = 1;
  ledger.commit({ sessionId, expectedSeq: 0, epoch: epochRecord(1, sessionId), entries: [] });
  for (const [index, event] of happenings.entries()) {
    switch (event.kind) {
      case "epoch": {
        const parts = [{ key: toSourceKey("core/date"), text: event.baseline }];
        const epoch: EpochRecord = {
          ...epochRecord(seq + 1, sessionId),
          baseline: event.baseline,
          parts,
        };
        ledger.commit({ sessionId, expectedSeq: seq, epoch, entries: [] });
        seq += 1;
        epochSeq = seq;
        break;
      }
      case "entry": {
        const entry = toEntryRecord(event, seq + 1, epochSeq, sessionId);
        ledger.commit({ sessionId, expectedSeq: seq, epoch: null, entries: [entry] });
        seq += 1;
        break;
      }
      case "turn": {
        const { bust, tokens } = event;
        turns.append({ ...turnRecord(index, epochSeq, sessionId), bust });
        if (tokens === null) break;
        const usage = {
          inputTokens: tokens,
          outputTokens: 1,
          cacheReadTokens: 2,
          cacheWriteTokens: 3,
        };
        turns.settle(sessionId, { usage, cost: null, bust: null, sentAtMs: index });
        break;
      }
      case "prompt": {
        const input = inputRecord(`msg_${sessionId}_${index}`, event.delivery);
        inbox.admit({ ...input, sessionId, preview: event.text });
        break;
      }
      case "brief":
        briefs.append({
          sessionId,
          compactionId: null,
          text: event.text,
          essentials: { stage: null, step: event.text, nextAction: null, gate: null },
          carried: { objective: null, decisions: [event.text], statements: [] },
          madeAtMs: index,
        });
    }
  }
}

function toEntryRecord(
  event: Extract<LifeEvent, { kind: "entry" }>,
  seq: number,
  epochSeq: number,
  sessionId: SessionId,
): EntryRecord {
  const entry = entryRecord(seq, epochSeq, sessionId);
  const place = { messageId: entry.messageId, partId: entry.partId };
  switch (event.edit) {
    case "insert":
      return { ...entry, edit: { verb: "insert", after: place, text: event.text } };
    case "omit": {
      const at = { messageId: entry.messageId, partId: "prt_1" };
      return { ...entry, edit: { verb: "omit", at }, announced: [], delta: {} };
    }
    case "witness":
      return { ...entry, edit: null };
  }
}
