// The Context Source `core/continuity`: what a compaction's summary lost.
import * as z from "zod";
import type { Loaded, SourceDefinition } from "../context/source.ts";

export const continuityKey = "core/continuity";

const line = z.string().nullable();

/** Codec of what a compaction's summary lost; one object, as encodings are remembered by it. */
export const lostSchema = z.object({
  /** The host's row that asked for the compaction. */
  compactionId: z.string(),
  stage: line,
  step: line,
  nextAction: line,
  gate: line,
});

/** The part of a compaction's brief that its summary lost. */
export type LostPart = z.output<typeof lostSchema>;

/** Tells what the summary at the head of the history lost; absent where it lost nothing. */
export function continuitySource(load: () => Loaded<LostPart>): SourceDefinition<LostPart> {
  return {
    key: continuityKey,
    schema: lostSchema,
    load,
    baseline: text,
    update: (_previous, current) => text(current),
    removed: () => "What was said here about a compaction's summary no longer applies.",
  };
}

function text(lost: LostPart): string {
  const parts = [
    ["Canonical Workflow Stage", lost.stage],
    ["Current Step", lost.step],
    ["Transition Gate", lost.gate],
    ["Next Action", lost.nextAction],
  ] as const;
  return [
    "When the conversation was compacted, the work stood as follows; its summary leaves this out:",
    ...parts.flatMap(([name, value]) => (value === null ? [] : [`- ${name}: ${value}`])),
    "What has been said since the compaction goes before it.",
  ].join("\n");
}
