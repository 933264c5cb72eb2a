// Decides between keeping and rewriting by the ski-rental rule: a rewrite may cost no more than has been paid
// for not making it.
import type { CacheRates } from "../ledger/space.ts";

/** A piece of what is sent, with its present tokens and blocks. */
export interface PieceCost {
  readonly tokens: number;
  readonly blocks: number;
  /** The tokens that a call is spared without it; 0 if it stays. */
  readonly saves: number;
  /** The number of calls that have read it since it could be dropped. */
  readonly calls: number;
  /** `sent` if a call has sent it; new pieces are written in any case. */
  readonly sent: "sent" | "new";
  /** The tokens and blocks that stand before it in its own message. */
  readonly aheadTokens: number;
  readonly aheadBlocks: number;
}

/** A rewrite from one place on, in input tokens. */
export interface RewriteOffer {
  /** The index of the first piece that is dropped. */
  readonly from: number;
  /** The price of reading the dropped pieces that calls have paid, or that the call about to be made would pay. */
  readonly rent: number;
  /** The price that the next call pays for writing again the pieces that stay. */
  readonly price: number;
  /** The tokens that each further call is spared. */
  readonly saves: number;
}

/** The blocks that provider caches search beside the place itself: the newest breakpoints. */
const BREAKPOINT_BLOCKS = 2;

/**
 * Makes one offer for each of these places, with all that can be dropped from there on; nested, the latest
 * first. A place whose piece stays is one that is written again, as a fold that grows is.
 */
export function listOffers(
  pieces: readonly PieceCost[],
  rates: CacheRates,
  isPlace: (piece: PieceCost, index: number) => boolean = ({ saves }) => saves > 0,
): readonly RewriteOffer[] {
  const surcharge = rates.write - rates.read;
  const sentBefore = cumulateCosts(pieces);
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
    const again = rewrittenTokens(piece, { blocks, sentBefore: sentBefore[from] ?? 0 }, rates);
    const due = Math.max(rent, rates.read * saves);
    made.push({ from, rent: due, price: surcharge * (after + again), saves });
  }
  return made;
}

/** Counts the tokens before a change that are written again. */
function rewrittenTokens(
  { sent, aheadTokens, aheadBlocks }: PieceCost,
  { blocks, sentBefore }: { readonly blocks: number; readonly sentBefore: number },
  { lookBackBlocks }: CacheRates,
): number {
  // A cache without breakpoints keeps any prefix.
  if (lookBackBlocks === null) return 0;
  // The place is too far back for the provider to find the prefix, so all messages are written again.
  if (blocks + aheadBlocks + BREAKPOINT_BLOCKS > lookBackBlocks) return sentBefore;
  // Breakpoints stand at the ends of messages: a prefix that ends within one is not kept.
  return sent === "sent" ? aheadTokens : 0;
}

/** Returns the offer with the most rent beyond its price; null if none has paid its price. */
export function pickBestOffer(made: readonly RewriteOffer[]): RewriteOffer | null {
  let best: RewriteOffer | null = null;
  for (const offer of made) {
    if (offer.rent < offer.price) continue;
    if (best === null || offer.rent - offer.price > best.rent - best.price) best = offer;
  }
  return best;
}

function cumulateCosts(pieces: readonly PieceCost[]): readonly number[] {
  let sum = 0;
  return pieces.map(({ tokens, sent }) => {
    const before = sum;
    if (sent === "sent") sum += tokens;
    return before;
  });
}
