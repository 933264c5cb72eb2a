// Rebuilds one model call from storage: layers, messages, edits. Pure.
import { hashText } from "@session-runtime/opencode/context/canonical";
import type { CallStatus } from "@session-runtime/opencode/status/cache";
import { countBytes } from "@session-runtime/opencode/status/updates";
import type { EntryForm } from "@session-runtime/opencode/storage/form-store";
import type {
  EntryRecord,
  EpochRecord,
  SessionLedger,
} from "@session-runtime/opencode/storage/ledger-table";
import type { EpochCause, LayerDigests } from "@session-runtime/opencode/storage/records";
import type { TurnRecord } from "@session-runtime/opencode/storage/turn-store";
import type { StoredMessage, StoredPart } from "../host-history/messages.ts";
import { classifyEntry, type EntryKind } from "./entry-kind.ts";

/** Holds the layers of one model call, rebuilt from storage. */
export interface CallWire {
  readonly sessionId: string;
  /** The call's number among the session's calls, from 1; `calls` is their count. */
  readonly number: number;
  readonly calls: number;
  readonly call: CallStatus;
  /** The layers, from most to least stable. */
  readonly layers: readonly WireLayer[];
  readonly baseline: WireBaseline | null;
  /** The messages that are known to have been sent; an undo may have removed some since. */
  readonly messages: readonly WireMessage[];
  /** The edits of this epoch whose message none of its calls has sent. */
  readonly elsewhere: readonly WireEdit[];
}

export interface WireLayer {
  readonly name: "tools" | "preamble" | "baseline" | "live" | "history";
  /** The change since the former call of the same model; `grown` is a history that was only added to. */
  readonly change: "first" | "same" | "changed" | "grown" | "empty";
  /** The layer's xxHash64, in 16 hex digits. */
  readonly digest: string;
}

export interface WireBaseline {
  readonly epochNumber: number;
  readonly cause: EpochCause;
  readonly startedAtMs: number;
  readonly bytes: number;
  readonly parts: readonly {
    readonly key: string;
    readonly bytes: number;
    readonly text: string;
  }[];
}

export interface WireMessage {
  readonly id: string;
  /** Says whether this call was the first to send it. */
  readonly isNew: boolean;
  /** The host's row; null where it is gone, or the host's database can't be read. */
  readonly row: { readonly role: string; readonly parts: readonly StoredPart[] } | null;
  /** The edits in ledger order. */
  readonly edits: readonly WireEdit[];
}

export interface WireEdit {
  readonly seq: number;
  readonly kind: EntryKind;
  readonly partId: string | null;
  readonly keys: readonly string[];
  readonly decidedAtMs: number;
  /** Says whether it was decided for this very call. */
  readonly isNew: boolean;
  /** The form of an update: the provider's own instruction role, or wrapped text. */
  readonly form: EntryForm | null;
  /** The inserted text; null where there is none. */
  readonly text: string | null;
  readonly bytes: number;
}

export interface WireInput {
  readonly ledger: SessionLedger;
  /** The turns up to and including the shown call, oldest first. */
  readonly turns: readonly TurnRecord[];
  readonly callCount: number;
  readonly call: CallStatus;
  /** The forms by entry rank, for the call's model. */
  readonly forms: ReadonlyMap<number, EntryForm>;
  readonly rows: ReadonlyMap<string, StoredMessage> | null;
}

/** Rebuilds the call `turn`. Pure. */
export function buildCallWire(turn: TurnRecord, input: WireInput): CallWire {
  const { ledger, turns } = input;
  const epoch = ledger.epochs.find(({ seq }) => seq === turn.epochSeq);
  // A pass commits what it decides under the moment of its call.
  const entries = ledger.entries.filter(
    (entry) => entry.epochSeq === turn.epochSeq && entry.decidedAtMs <= turn.sentAtMs,
  );
  const messages = toWireMessages(input, turn, entries);
  const sent = new Set(messages.map(({ id }) => id));
  return {
    sessionId: turn.sessionId,
    number: turn.seq,
    calls: input.callCount,
    call: input.call,
    layers: compareLayers(turn.digests, findPreviousCall(turns)?.digests ?? null),
    baseline: epoch ? toWireBaseline(epoch, ledger.epochs.indexOf(epoch) + 1) : null,
    messages,
    elsewhere: entries
      .filter(({ messageId }) => !sent.has(messageId))
      .map((entry) => toWireEdit(entry, turn, input.forms)),
  };
}

/** Returns the previous call of the last call's model. */
export function findPreviousCall(turns: readonly TurnRecord[]): TurnRecord | undefined {
  const last = turns.at(-1);
  return turns
    .slice(0, -1)
    .findLast((other) => other.providerId === last?.providerId && other.modelId === last.modelId);
}

const NOTHING = hashText("");

function compareLayers(now: LayerDigests, before: LayerDigests | null): readonly WireLayer[] {
  const layer = (name: Exclude<WireLayer["name"], "history">): WireLayer => {
    const digest = now[name];
    const change =
      digest === NOTHING
        ? "empty"
        : before === null
          ? "first"
          : before[name] === digest
            ? "same"
            : "changed";
    return { name, change, digest };
  };
  const change =
    before === null
      ? "first"
      : before.history === now.history
        ? "same"
        : before.history === now.historyAtWatermark
          ? "grown"
          : "changed";
  return [
    layer("tools"),
    layer("preamble"),
    layer("baseline"),
    layer("live"),
    { name: "history", change, digest: now.history },
  ];
}

function toWireBaseline(epoch: EpochRecord, epochNumber: number): WireBaseline {
  return {
    epochNumber,
    cause: epoch.cause,
    startedAtMs: epoch.startedAtMs,
    bytes: countBytes(epoch.baseline),
    parts: epoch.parts.map(({ key, text }) => ({ key, bytes: countBytes(text), text })),
  };
}

function toWireMessages(
  { turns, rows, forms }: WireInput,
  turn: TurnRecord,
  entries: readonly EntryRecord[],
): readonly WireMessage[] {
  const ofEpoch = turns.filter(({ epochSeq }) => epochSeq === turn.epochSeq);
  const ids = [...new Set(ofEpoch.flatMap(({ newMessageIds }) => newMessageIds))];
  const fresh = new Set(turn.newMessageIds);
  return ids.map((id) => {
    const row = rows?.get(id);
    return {
      id,
      isNew: fresh.has(id),
      row: row ? { role: row.role, parts: row.parts } : null,
      edits: entries
        .filter(({ messageId }) => messageId === id)
        .map((entry) => toWireEdit(entry, turn, forms)),
    };
  });
}

function toWireEdit(
  entry: EntryRecord,
  turn: TurnRecord,
  forms: ReadonlyMap<number, EntryForm>,
): WireEdit {
  const kind = classifyEntry(entry);
  const text = entry.edit && "text" in entry.edit ? entry.edit.text : null;
  return {
    seq: entry.seq,
    kind,
    partId: entry.partId,
    keys: entry.announced.map(({ key }) => key),
    decidedAtMs: entry.decidedAtMs,
    isNew: entry.decidedAtMs === turn.sentAtMs,
    form: kind === "update" ? (forms.get(entry.seq) ?? "wrapped") : null,
    text,
    bytes: text === null ? 0 : countBytes(text),
  };
}
