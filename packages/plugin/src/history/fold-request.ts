// Holds a request of /ctx-fold until a boundary carries it out.
import * as z from "zod";
import type { Proposal } from "../ledger/boundary-view.ts";

/** Names the kind of proposal; the boundary that it causes is all that it requests. */
export const FOLD_NOW = "fold-now";

export interface FoldRequest {
  /** The prompt before which all work is folded; null: as much as a rewrite takes by itself. */
  readonly before: string | null;
}

const schema: z.ZodType<FoldRequest> = z.object({ before: z.string().nullable() });

const ALL: FoldRequest = { before: null };

/** Returns the newest request; null if the user's command is another one. */
export function foldAsked(proposals: readonly Proposal[]): FoldRequest | null {
  const commands = proposals.filter(({ urgency }) => urgency === "command");
  if (commands.length === 0) return ALL;
  const asked = commands.findLast(({ kind }) => kind === FOLD_NOW);
  if (asked === undefined) return null;
  const read = schema.safeParse(asked.output);
  return read.success ? read.data : ALL;
}
