// What the user asks for by /ctx-fold, until a boundary does it.
import * as z from "zod";
import type { Proposal } from "../ledger/boundary-view.ts";

/** The kind of proposal as which it waits; the boundary that it makes is all that it asks for. */
export const FOLD_NOW = "fold-now";

export interface FoldRequest {
  /** The prompt before which all work is folded; null: as much as a rewrite takes by itself. */
  readonly before: string | null;
}

const schema: z.ZodType<FoldRequest> = z.object({ before: z.string().nullable() });

const ALL: FoldRequest = { before: null };

/** The newest of these; null: the user asked for something else. */
export function foldAsked(proposals: readonly Proposal[]): FoldRequest | null {
  const commands = proposals.filter(({ urgency }) => urgency === "command");
  if (commands.length === 0) return ALL;
  const asked = commands.findLast(({ kind }) => kind === FOLD_NOW);
  if (asked === undefined) return null;
  const read = schema.safeParse(asked.output);
  return read.success ? read.data : ALL;
}
