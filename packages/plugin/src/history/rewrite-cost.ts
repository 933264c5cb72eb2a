// Rent or buy: whether a rewrite costs no more than has been paid for not making it.
import type { CacheRates } from "../ledger/rates.ts";

/** A piece of what is sent, in order. Tokens and blocks as it is now. */
export interface PieceCost {
  readonly tokens: number;
  readonly blocks: number;
  /** What a call is spared without it; 0: it stays. */
  readonly saves: number;
  /** How many calls have read it since it could go. */
  readonly calls: number;
  /** Whether a call has sent it: what is new is written in any case. */
  readonly sent: "sent" | "new";
  /** What stands before it in its own message. */
  readonly aheadTokens: number;
  readonly aheadBlocks: number;
}

/** A rewrite from one place on, in input tokens. */
export interface RewriteOffer {
  /** Index of the first piece that goes. */
  readonly from: number;
  /** What calls have paid for reading what goes with it, or what the call about to be made would pay. */
  readonly rent: number;
  /** What the next call pays for writing again what stays. */
  readonly price: number;
  /** Tokens that each further call is spared. */
  readonly saves: number;
}

/** What provider caches look through beside the place itself: the newest breakpoints. */
const BREAKPOINT_BLOCKS = 2;

/**
 * One offer for each of these places, with all that can go from there on; nested, the latest first.
 * A place whose piece stays is one where something is written again, as a fold of which more is made.
 */
export function offers(
  pieces: readonly PieceCost[],
  rates: CacheRates,
  isPlace: (piece: PieceCost, index: number) => boolean = ({ saves }) => saves > 0,
): readonly RewriteOffer[] {
  const surcharge = rates.write - rates.read;
  const sentBefore = cumulated(pieces);
  const made: RewriteOffer[] = [];
  let [after, blocks, rent, saves] = [0, 0, 0, 0];
  for (let from = pieces.length - 1; from >= 0; from--) {
    const piece = pieces[from];
    if (!piece) continue;
    blocks += piece.blocks;
    if (piece.sent === "sent") after += piece.tokens - piece.saves;
    saves += piece.saves;
    rent += rates.read * piece.saves * piece.calls;
    if (!isPlace(piece, from)) continue;
    const again = writtenAgain(piece, { blocks, sentBefore: sentBefore[from] ?? 0 }, rates);
    const due = Math.max(rent, rates.read * saves);
    made.push({ from, rent: due, price: surcharge * (after + again), saves });
  }
  return made;
}

/** What is written again of what stands before a change. */
function writtenAgain(
  { sent, aheadTokens, aheadBlocks }: PieceCost,
  { blocks, sentBefore }: { readonly blocks: number; readonly sentBefore: number },
  { lookBackBlocks }: CacheRates,
): number {
  // A cache without breakpoints keeps any prefix.
  if (lookBackBlocks === null) return 0;
  // Too far back for the provider to find where the prefix goes on: all messages.
  if (blocks + aheadBlocks + BREAKPOINT_BLOCKS > lookBackBlocks) return sentBefore;
  // Breakpoints stand at the ends of messages: a prefix that ends within one is not kept.
  return sent === "sent" ? aheadTokens : 0;
}

/** The offer with the most rent beyond its price; null where none has paid its price. */
export function bestPaid(made: readonly RewriteOffer[]): RewriteOffer | null {
  let best: RewriteOffer | null = null;
  for (const offer of made) {
    if (offer.rent < offer.price) continue;
    if (best === null || offer.rent - offer.price > best.rent - best.price) best = offer;
  }
  return best;
}

function cumulated(pieces: readonly PieceCost[]): readonly number[] {
  let sum = 0;
  return pieces.map(({ tokens, sent }) => {
    const before = sum;
    if (sent === "sent") sum += tokens;
    return before;
  });
}
