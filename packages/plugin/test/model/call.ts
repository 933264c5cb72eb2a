import type { HostMessage } from "../../src/ledger/message.ts";
import { classifyHead } from "../../src/session/history.ts";
import type { SessionId } from "../../src/storage/records.ts";
import type { Author, Row } from "./rows.ts";
import type { StoredEdit, StoredEpoch, WrittenRow } from "./stored.ts";
import { type Block, buildBlocks, isUpdate, saidIn, withoutOwn } from "./wire.ts";
import type { LocationName, Truth } from "./world.ts";

/** One model call as it went out, with what was true when it was made. */
export interface Call {
  readonly sessionId: SessionId;
  readonly author: Author;
  readonly location: LocationName;
  readonly own: string | null;
  /** The system strings as sent. */
  readonly system: readonly string[];
  /** All of the request but the prompt's own system text. */
  readonly blocks: readonly Block[];
  /** The texts of ours that stand in the history, in order. */
  readonly inserted: readonly string[];
  /** Those of them that tell a change of context. */
  readonly updates: readonly string[];
  /** Whether the system string is the host's own, live. */
  readonly live: boolean;
  /** The host's array, after its reminders and before any hook. */
  readonly array: readonly Row[];
  /** All rows of the session, also those that a compaction hides. */
  readonly rowIds: ReadonlySet<string>;
  readonly messages: readonly HostMessage[];
  readonly head: ReturnType<typeof classifyHead>;
  readonly atBoundary: Truth;
  /** When the system string was rendered. */
  readonly atSend: Truth;
  readonly instanceId: number;
  readonly epochs: readonly StoredEpoch[];
  /** Began with this call. */
  readonly opened: StoredEpoch | null;
  /** Whether the storage failed once in it. */
  readonly disturbed: boolean;
  readonly nowMs: number;
  /** Whether it would not fit as it is. */
  readonly isFull: boolean;
  /** Whether the session's own policies said that a rewrite was worth it. */
  readonly isWorth: boolean;
  /** Whether a command's proposal waited when it was made. */
  readonly commanded: boolean;
  /** The session's own edits on record when it was sent. */
  readonly edits: readonly StoredEdit[];
  /** Whether messages.transform failed, so that the host kept its own history. */
  readonly failed: boolean;
  /** How many failures the runtime reported in it. */
  readonly reported: number;
  /** What its hooks wrote to the database. */
  readonly written: WrittenRow;
  /** The session's rows in the host's own database. */
  readonly rows: readonly Row[];
}

export interface SendState {
  readonly sessionId: SessionId;
  readonly author: Author;
  readonly location: LocationName;
  readonly own: string | null;
  readonly array: readonly Row[];
  readonly rowIds: ReadonlySet<string>;
  readonly messages: readonly HostMessage[];
  readonly system: readonly string[];
  /** The host's own strings. */
  readonly host: readonly string[];
  readonly pushed: readonly string[];
  readonly atBoundary: Truth;
  readonly atSend: Truth;
  readonly instanceId: number;
  readonly epochsBefore: number;
  readonly epochs: readonly StoredEpoch[];
  readonly isFull: boolean;
  /** Whether the session's own policies said that a rewrite was worth it. */
  readonly isWorth: boolean;
  readonly commanded: boolean;
  readonly edits: readonly StoredEdit[];
  readonly failed: boolean;
  readonly reported: number;
  readonly written: WrittenRow;
  readonly rows: readonly Row[];
}

export function buildModelCall(
  sending: SendState,
  seen: { readonly nowMs: number; readonly disturbed: boolean },
): Call {
  const { system, own, messages, pushed, host, epochs, epochsBefore } = sending;
  const blocks = buildBlocks(withoutOwn(system, own), messages, new Set(pushed));
  const ours = blocks.filter((block) => block.kind === "ours");
  return {
    ...sending,
    ...seen,
    blocks,
    inserted: ours.map(({ text }) => saidIn(text)),
    updates: ours.filter(isUpdate).map(({ text }) => saidIn(text)),
    live: system === host,
    head: classifyHead(sending.array),
    opened: epochs.length > epochsBefore ? (epochs.at(-1) ?? null) : null,
  };
}

/** The epoch that a call was sent in: the newest whose text it holds. */
export function findEpochSeq(call: Call): number | null {
  const sent = call.epochs.findLast(
    (epoch) =>
      call.system.some((text) => text.includes(epoch.baseline)) &&
      (call.head.kind === "broken" || stands(epoch, call)),
  );
  return sent?.seq ?? null;
}

export function stands(
  { startMessageId }: StoredEpoch,
  { array }: { readonly array: readonly HostMessage[] },
): boolean {
  return startMessageId === null || array.some(({ info }) => info.id === startMessageId);
}
