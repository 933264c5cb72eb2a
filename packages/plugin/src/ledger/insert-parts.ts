// Places inserts among the parts of a user's message.
import type { EditOf, LedgerEdit } from "./edit.ts";
import { type HostMessage, type HostPart, isText } from "./message.ts";
import { buildSyntheticPartId, createSyntheticPart, type RevisedParts } from "./revise.ts";

export type Insert = LedgerEdit<EditOf<"insert">>;

/** A part in the making; `anchorId` names the host's part to whose run it belongs. */
interface InsertRow {
  readonly id: string;
  readonly part: HostPart | null;
  anchorId: string;
}

const HEAD_ANCHOR = "";

/** The inserts for one user message. */
export interface UserInserts {
  /** Inserts that follow the message before this one, and therefore come first. */
  readonly leading: readonly Insert[];
  readonly own: readonly Insert[];
}

/**
 * Returns the user's message with inserts as further parts. Inserts go after their anchor in ledger order, so
 * adding one never moves an earlier one. If the host already has a part with the same text there, that part
 * is used instead of a copy, so a reminder of the host's that goes away later keeps its place.
 */
export function insertParts(
  message: HostMessage,
  revised: RevisedParts,
  { leading, own }: UserInserts,
): readonly HostPart[] {
  const inserts = [...leading, ...own];
  if (inserts.length === 0) return revised.filter((part) => part !== null);
  // Inserts that an earlier replay has placed in the same array are placed again.
  const laid = new Set(inserts.map(({ seq }) => buildSyntheticPartId(seq)));
  const rows: InsertRow[] = message.parts.flatMap(({ id }, index) =>
    laid.has(id) ? [] : [{ id, part: revised[index] ?? null, anchorId: id }],
  );
  rows.unshift(...leading.map((insert) => createRow(message, insert, HEAD_ANCHOR)));
  for (const insert of own) placeInsert(rows, message, insert);
  return rows.flatMap((row) => row.part ?? []);
}

function placeInsert(rows: InsertRow[], message: HostMessage, insert: Insert): void {
  const { edit } = insert;
  const anchorId = findAnchorRow(rows, edit)?.anchorId ?? HEAD_ANCHOR;
  const end = rows.findLastIndex((row) => row.anchorId === anchorId) + 1;
  const next = rows[end];
  if (next && hasText(next, edit.text)) {
    joinRow(rows, next.id, anchorId);
  } else {
    rows.splice(end, 0, createRow(message, insert, anchorId));
  }
}

function createRow({ info }: HostMessage, { seq, edit }: Insert, anchorId: string): InsertRow {
  const part = createSyntheticPart(seq, info, edit.text);
  return { id: part.id, part, anchorId: anchorId };
}

/** Finds the row that the insert follows. At the end of the message its text may be the last part already. */
function findAnchorRow(rows: readonly InsertRow[], edit: Insert["edit"]): InsertRow | undefined {
  const { partId } = edit.after;
  if (partId !== null) return rows.find((row) => row.id === partId);
  const last = rows.at(-1);
  return last && hasText(last, edit.text) ? rows.at(-2) : last;
}

/** Matches one of the host's own rows, each of which begins its run, with exactly this text. */
function hasText(row: InsertRow, text: string): boolean {
  const { part } = row;
  return (
    row.anchorId === row.id &&
    part !== null &&
    isText(part) &&
    part.ignored !== true &&
    part.text === text
  );
}

function joinRow(rows: readonly InsertRow[], run: string, anchorId: string): void {
  for (const row of rows) if (row.anchorId === run) row.anchorId = anchorId;
}
