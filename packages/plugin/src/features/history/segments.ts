// Reads the segments of a folded history from the text that the model has; pure.
import { neutralize, quotation } from "../../context/neutralize.ts";
import { extractSegment } from "../../history/extract.ts";
import { readHeading } from "../../history/folded-text.ts";
import { TIERS, type Tier } from "../../history/segment.ts";
import type { WrittenSegment } from "../../history/written.ts";
import type { HostMessage } from "../../ledger/message.ts";
import { deriveRef } from "../../ledger/ref.ts";

export interface ShownSegment {
  /** `ctx_expand` shows the messages themselves by this ref. */
  readonly ref: string;
  readonly messages: number;
  /** It is null if the segment has faded to its heading. */
  readonly kind: string | null;
  /** The tier shows how much of the segment is left; it is null if that can't be found out. */
  readonly tier: Tier | "faded" | null;
  readonly text: string;
  /** Events of the segment, if a model wrote them down. */
  readonly events: readonly string[];
}

export function segmentsIn(foldText: string): readonly ShownSegment[] {
  const segments: { ref: string; messages: number; kind: string | null; lines: string[] }[] = [];
  for (const line of foldText.split("\n").slice(1, -1)) {
    const heading = readHeading(line);
    if (heading === null) segments.at(-1)?.lines.push(line);
    else segments.push({ ...heading, messages: heading.messageCount, lines: [] });
  }
  return segments.map(({ ref, messages, kind, lines }) => ({
    ref,
    messages,
    kind,
    tier: kind === null ? "faded" : null,
    text: lines.join("\n").trimEnd(),
    events: [],
  }));
}

/** Adds each segment's tier, by comparing its text with what its messages give in each tier. */
export function withTiers(
  segments: readonly ShownSegment[],
  messages: readonly HostMessage[],
  written: readonly WrittenSegment[],
): readonly ShownSegment[] {
  const indexById = new Map(
    messages.map(({ info }, index) => [deriveRef("h", info.id) as string, index]),
  );
  return segments.map((segment) => {
    const place = indexById.get(segment.ref);
    if (segment.tier !== null || place === undefined) return segment;
    const range = messages.slice(place, place + segment.messages);
    const said = [
      extractSegment(range, 0).texts,
      ...written.filter(({ firstId }) => firstId === range[0]?.info.id).map(({ texts }) => texts),
    ];
    const tier = TIERS.find((one) => said.some((texts) => isSaid(texts[one], segment.text)));
    return { ...segment, tier: tier ?? null };
  });
}

/** Folds made by earlier versions have a model's words without marks. */
function isSaid(text: string, shown: string): boolean {
  return neutralize(text).trimEnd() === shown || quotation(text) === shown;
}
