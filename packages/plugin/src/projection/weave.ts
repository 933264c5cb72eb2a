// Puts inserts among the parts of a user's message.
import type { EditOf, LedgerEdit } from "./edit.ts";
import { madePart, madePartId } from "./made.ts";
import { type HostMessage, type HostPart, isText } from "./message.ts";
import type { Revised } from "./revise.ts";

export type Insert = LedgerEdit<EditOf<"insert">>;

/** A part in the making; `behind` is the host's part whose run it belongs to. */
interface Row {
  readonly id: string;
  readonly part: HostPart | null;
  behind: string;
}

const HEAD = "";

/** What goes into a user's message. */
export interface Woven {
  /** What follows on the message before it, and comes first. */
  readonly leading: readonly Insert[];
  readonly own: readonly Insert[];
}

/**
 * The user's message with inserts as further parts. They are laid one on the other in the order
 * of the ledger, each at the end of the run after its anchor, so that a new one moves none of those
 * before. A part of the host's that stands there with the very text joins the run in its stead: so
 * the host's own reminder, which later is gone, has the same place whether it is there or not.
 */
export function weave(
  message: HostMessage,
  revised: Revised,
  { leading, own }: Woven,
): readonly HostPart[] {
  const inserts = [...leading, ...own];
  if (inserts.length === 0) return revised.filter((part) => part !== null);
  // What a replay before this one has laid in the same array is laid again.
  const laid = new Set(inserts.map(({ seq }) => madePartId(seq)));
  const rows: Row[] = message.parts.flatMap(({ id }, index) =>
    laid.has(id) ? [] : [{ id, part: revised[index] ?? null, behind: id }],
  );
  rows.unshift(...leading.map((insert) => madeRow(message, insert, HEAD)));
  for (const insert of own) lay(rows, message, insert);
  return rows.flatMap((row) => row.part ?? []);
}

function lay(rows: Row[], message: HostMessage, insert: Insert): void {
  const { edit } = insert;
  const behind = anchorOf(rows, edit)?.behind ?? HEAD;
  const end = rows.findLastIndex((row) => row.behind === behind) + 1;
  const next = rows[end];
  if (next && standsAs(next, edit.text)) {
    join(rows, next.id, behind);
  } else {
    rows.splice(end, 0, madeRow(message, insert, behind));
  }
}

function madeRow({ info }: HostMessage, { seq, edit }: Insert, behind: string): Row {
  const part = madePart(seq, info, edit.text);
  return { id: part.id, part, behind };
}

/** The row that the insert follows. At the end of the message its text may be the last part already. */
function anchorOf(rows: readonly Row[], edit: Insert["edit"]): Row | undefined {
  const { partId } = edit.after;
  if (partId !== null) return rows.find((row) => row.id === partId);
  const last = rows.at(-1);
  return last && standsAs(last, edit.text) ? rows.at(-2) : last;
}

/** A row of the host's own (it begins its run) with exactly this text. */
function standsAs(row: Row, text: string): boolean {
  const { part } = row;
  return (
    row.behind === row.id &&
    part !== null &&
    isText(part) &&
    part.ignored !== true &&
    part.text === text
  );
}

function join(rows: readonly Row[], run: string, behind: string): void {
  for (const row of rows) if (row.behind === run) row.behind = behind;
}
