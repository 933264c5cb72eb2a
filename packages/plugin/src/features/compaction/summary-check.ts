// Determines what a compaction's summary has lost of its brief, and defines the Context Source that announces it.
import * as z from "zod";
import { decode } from "../../context/canonical.ts";
import { toSourceKey } from "../../context/key.ts";
import { findEntry, type Snapshot } from "../../context/snapshot.ts";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  Unavailable,
} from "../../context/source.ts";
import { createSystemContext, type SystemContext } from "../../context/system-context.ts";
import type { HistoryHead } from "../../session/history.ts";
import type { SummaryPlace } from "../../session/session-sources.ts";
import type { RuntimeDatabase } from "../../storage/database.ts";
import { StorageError } from "../../storage/errors.ts";
import type { SessionId } from "../../storage/records.ts";
import type { Essentials } from "./brief.ts";

/** The share of a line's key terms that a summary must contain to have kept the line. */
const MIN_KEPT_TERM_SHARE = 0.6;

/**
 * Finds the essentials that a summary has lost: the stage by its exact name, and other lines by their key
 * terms, since a summary rephrases. Returns null if it has lost nothing.
 */
export function findMissingEssentials(essentials: Essentials, summary: string): Essentials | null {
  const words = normalizeText(summary);
  const keepIfLost = (line: string | null) =>
    line !== null && !keepsLine(words, line) ? line : null;
  const { stage } = essentials;
  const missing = {
    stage: stage !== null && !containsName(summary, stage) ? stage : null,
    step: keepIfLost(essentials.step),
    nextAction: keepIfLost(essentials.nextAction),
    gate: keepIfLost(essentials.gate),
  };
  return Object.values(missing).every((part) => part === null) ? null : missing;
}

function containsName(summary: string, name: string): boolean {
  for (let at = summary.indexOf(name); at !== -1; at = summary.indexOf(name, at + 1)) {
    const around = `${summary[at - 1] ?? " "}${summary[at + name.length] ?? " "}`;
    if (!/[\p{L}\p{N}_-]/u.test(around)) return true;
  }
  return false;
}

function keepsLine(summary: string, line: string): boolean {
  const terms = extractKeyTerms(line);
  if (terms.length === 0) return summary.includes(normalizeText(line).trim());
  const kept = terms.filter((term) => summary.includes(term)).length;
  return kept / terms.length >= MIN_KEPT_TERM_SHARE;
}

const COMMON_WORDS = new Set(
  (
    "about after again against also another because been before being both current does done each from " +
    "have into itself just made make many more most must need needs next only other over same should " +
    "some such than that their them then there these they this those through under until upon very " +
    "were what when where which while will with within without would your user's answer request open work"
  ).split(" "),
);

/** Returns the stems of the words that carry a line's meaning, normalised in the same way as the summary. */
function extractKeyTerms(line: string): readonly string[] {
  const words = normalizeText(line).match(/[\p{L}\p{N}_]+/gu) ?? [];
  return [...new Set(words.flatMap(splitTerms))];
}

const UNSPACED_SCRIPT_PATTERN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function splitTerms(word: string): readonly string[] {
  if (UNSPACED_SCRIPT_PATTERN.test(word))
    return word.length < 3 ? [word] : (word.match(/.{2}/gsu) ?? []);
  if (/\d/.test(word)) return [word];
  if (word.length < 4 || COMMON_WORDS.has(word)) return [];
  // Endings differ between a plan and an account of it: migrate, migrating, migration.
  return [word.slice(0, Math.max(4, word.length - 3))];
}

function normalizeText(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[`*"“”]/g, "")
    .replace(/\s+/g, " ");
}

export const continuityKey = "core/continuity";

const nullableLineSchema = z.string().nullable();

/**
 * Codec of what a compaction's summary has lost. Keep it a single object, because encodings are cached by it.
 */
const lostPartSchema = z.object({
  /** The id of the host's row that asked for the compaction. */
  compactionId: z.string(),
  stage: nullableLineSchema,
  step: nullableLineSchema,
  nextAction: nullableLineSchema,
  gate: nullableLineSchema,
});

/** Holds the part of a compaction's brief that its summary lost. */
export type LostPart = z.output<typeof lostPartSchema>;

/** Announces what the summary at the head of the history has lost; absent if it has lost nothing. */
export function createContinuitySource(
  load: () => LoadResult<LostPart>,
): SourceDefinition<LostPart> {
  return {
    key: continuityKey,
    schema: lostPartSchema,
    load,
    baseline: renderLostPart,
    update: (_previous, current) => renderLostPart(current),
    removed: () => "What was said here about a compaction's summary no longer applies.",
  };
}

function renderLostPart(lost: LostPart): string {
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

// Determines, once per summary, which parts of the brief the summary at the start of a session lost.

/** Caches what the summary at a session's head has lost of its brief. */
export class LostParts {
  #known: { readonly summaryId: string; readonly lost: LostPart | typeof absent } | null = null;

  constructor(private readonly database: () => RuntimeDatabase) {}

  /** Returns the source that announces the lost part. */
  context(sessionId: SessionId, at: () => SummaryPlace): SystemContext {
    return createSystemContext(
      createContinuitySource(() => {
        const { head, belief } = at();
        return this.loadLostPart(sessionId, head, belief);
      }),
    );
  }

  loadLostPart(sessionId: SessionId, head: HistoryHead, belief: Snapshot): LoadResult<LostPart> {
    switch (head.kind) {
      case "whole":
        return absent;
      case "broken":
        // Whatever was announced about the previous compaction stays in effect.
        return readKnownPart(belief);
      case "compacted": {
        if (this.#known?.summaryId === head.summaryId) return this.#known.lost;
        const lost = this.#findLostPart(sessionId, head);
        if (!(lost instanceof Unavailable)) this.#known = { summaryId: head.summaryId, lost };
        return lost;
      }
    }
  }

  #findLostPart(
    sessionId: SessionId,
    { compactionId, summary }: HistoryHead & { readonly kind: "compacted" },
  ): LostPart | typeof absent | Unavailable {
    try {
      const brief = this.database().briefs.ofCompaction(sessionId, compactionId);
      const missing = brief && findMissingEssentials(brief.essentials, summary);
      return missing ? { compactionId, ...missing } : absent;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      return new Unavailable(error.code);
    }
  }
}

function readKnownPart(belief: Snapshot): LostPart | typeof absent {
  const entry = findEntry(belief, toSourceKey(continuityKey));
  return (entry && decode(lostPartSchema, entry.json)?.value) ?? absent;
}
