// Splits a history into segments: ranges of messages, each with texts in four tiers.
import type { HostMessage } from "../ledger/message.ts";
import type { Ref } from "../ledger/ref.ts";

export const SEGMENT_KINDS = ["fix", "feature", "research", "decision", "chat"] as const;
export type SegmentKind = (typeof SEGMENT_KINDS)[number];

export const TIERS = ["full", "short", "brief", "line"] as const;
export type Tier = (typeof TIERS)[number];

export interface Segment {
  /** The ref of its first message, which expands to the messages themselves. */
  readonly ref: Ref;
  readonly messageCount: number;
  readonly kind: SegmentKind;
  /** The slowness of its fading, from 0 to 100. */
  readonly importance: number;
  /** Texts, shorter by tier; a model's text is marked as quotation, line by line. */
  readonly texts: Readonly<Record<Tier, string>>;
  /** The tokens of the history between its end and the newest message. */
  readonly ageTokens: number;
}

/** Messages that belong together. */
export type Range = readonly HostMessage[];

/** A larger segment is split at an answer. */
const MAX_TOKENS = 10_000;
/** Prompts with so little between them share a segment. */
const FEW_TOKENS = 1_200;

/** Splits a history into one range per prompt and its work; long ones are split, short ones joined. */
export function splitRanges(
  messages: readonly HostMessage[],
  countTokens: (message: HostMessage) => number,
): readonly Range[] {
  const ranges: HostMessage[][] = [];
  let tokens = 0;
  for (const message of messages) {
    const isPrompt = message.info.role === "user";
    const begins = isPrompt ? tokens >= FEW_TOKENS : tokens >= MAX_TOKENS;
    const open = ranges.at(-1);
    if (open === undefined || begins) {
      ranges.push([message]);
      tokens = 0;
    } else {
      open.push(message);
    }
    tokens += countTokens(message);
  }
  return ranges;
}
