// Decides between keeping and rewriting by the ski-rental rule: a rewrite may cost no more than has been paid
// for not making it.
import type { CacheRates } from "../ledger/space.ts";

/** A piece of what is sent, with its present tokens and blocks. */
export interface PieceCost {
  readonly tokens: number;
  readonly blocks: number;
  /** The tokens that a call saves without the piece; 0 if the piece stays. */
  readonly saves: number;
  /** The number of calls that have read the piece since it could be dropped. */
  readonly calls: number;
  /** `sent` if a call has already sent the piece; new pieces are written in any case. */
  readonly sent: "sent" | "new";
  /** The tokens and blocks that precede the piece in its own message. */
  readonly aheadTokens: number;
  readonly aheadBlocks: number;
}

/** A rewrite from one place on, in input tokens. */
export interface RewriteOffer {
  /** The index of the first piece that is dropped. */
  readonly from: number;
  /** What calls have paid to read the dropped pieces, or at least what the next call would pay for that. */
  readonly rent: number;
  /** The price that the next call pays for writing the remaining pieces again. */
  readonly price: number;
  /** The tokens that the rewrite saves in each further call. */
  readonly saves: number;
}

/** The blocks that a provider's cache searches beyond the place itself, for the newest breakpoints. */
const BREAKPOINT_BLOCKS = 2;

/**
 * Makes one offer for each of these places, with everything that can be dropped from there on; the offers are
 * nested, the latest first. A place whose piece stays is written again, as a growing fold is.
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
    const again = countRewrittenTokens(piece, { blocks, sentBefore: sentBefore[from] ?? 0 }, rates);
    const due = Math.max(rent, rates.read * saves);
    made.push({ from, rent: due, price: surcharge * (after + again), saves });
  }
  return made;
}

/** Counts the tokens before the change that have to be written again. */
function countRewrittenTokens(
  { sent, aheadTokens, aheadBlocks }: PieceCost,
  { blocks, sentBefore }: { readonly blocks: number; readonly sentBefore: number },
  { lookBackBlocks }: CacheRates,
): number {
  // A cache without breakpoints keeps any prefix.
  if (lookBackBlocks === null) return 0;
  // The place is too far back for the provider to find the prefix, so all messages are written again.
  if (blocks + aheadBlocks + BREAKPOINT_BLOCKS > lookBackBlocks) return sentBefore;
  // Breakpoints are at the ends of messages, so a prefix that ends within a message is not kept.
  return sent === "sent" ? aheadTokens : 0;
}

/** Returns the offer whose rent exceeds its price most; null if no offer's price is paid. */
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
