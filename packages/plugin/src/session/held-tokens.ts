// Counts the tokens that a call holds and those that it is spared, which explain its bill.
import type { HostMessage } from "../ledger/message.ts";
import { BYTES_PER_TOKEN } from "../ledger/tokens.ts";
import type { TurnUsage, UpdateBytes } from "../storage/records.ts";
import { contextTokens } from "../storage/turn-figures.ts";
import type { OfferedTools } from "./offered-tools.ts";
import type { PassFacts } from "./pass.ts";
import { type BilledCall, tokensHeld, tokensSpared } from "./turn-cost.ts";

export interface HeldTokens {
  /** The tokens that earlier calls had sent. */
  readonly heldTokens: number;
  readonly ownToolTokens: number;
  /** The tokens by which the host's history is longer; updates make that fewer. */
  readonly sparedTokens: number;
  /** The same of the call before. */
  readonly formerlySparedTokens: number;
  readonly rewrite: "this call" | "none";
}

export const NOTHING_HELD: HeldTokens = {
  heldTokens: 0,
  ownToolTokens: 0,
  sparedTokens: 0,
  formerlySparedTokens: 0,
  rewrite: "none",
};

interface SentCallFacts {
  readonly facts: PassFacts;
  readonly system: { readonly baseline: string };
  /** Index, in the sent history, of the last message that an earlier call had sent; -1 if there is none. */
  readonly formerEnd: number;
}

export function countHeldTokens(
  { facts, system, formerEnd }: SentCallFacts,
  offered: OfferedTools,
  {
    before,
    toolTokens,
    countTokens,
  }: {
    readonly before: HeldTokens;
    readonly toolTokens: ReadonlyMap<string, number>;
    readonly countTokens: (message: HostMessage) => number;
  },
): HeldTokens {
  const isRewrite = facts.rewrite?.atMs === facts.startedAtMs;
  const ownTokens = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + (toolTokens.get(name) ?? 0), 0);
  return {
    heldTokens: tokensHeld(system.baseline, facts.messages, formerEnd),
    ownToolTokens: offered ? ownTokens(offered.keys()) : before.ownToolTokens,
    sparedTokens: tokensSpared(facts.replaced, countTokens),
    formerlySparedTokens: before.sparedTokens,
    rewrite: isRewrite ? "this call" : "none",
  };
}

/** Returns the tokens dropped from the history: those by which it is shorter, plus those of our updates. */
export function billedTokens(
  { heldTokens, ownToolTokens, sparedTokens, formerlySparedTokens, rewrite }: HeldTokens,
  former: TurnUsage | null,
  { announced, carried }: UpdateBytes,
): Pick<
  BilledCall,
  "heldTokens" | "ownToolTokens" | "droppedTokens" | "newlyDroppedTokens" | "rewrittenTokens"
> {
  const droppedTokens = Math.max(0, sparedTokens + (announced + carried) / BYTES_PER_TOKEN);
  const before = Math.max(0, formerlySparedTokens + carried / BYTES_PER_TOKEN);
  return {
    heldTokens,
    ownToolTokens,
    droppedTokens: droppedTokens,
    newlyDroppedTokens: Math.max(0, droppedTokens - before),
    rewrittenTokens: rewrite === "this call" && former ? contextTokens(former) : null,
  };
}
