// Decides which of the historian's facts become memories. Pure: the same facts and memories, the same changes.
import type { Ref } from "../../ledger/ref.ts";
import {
  type Category,
  MAX_MODEL_IMPORTANCE,
  type Memory,
  type MemoryChange,
  type Source,
} from "./record.ts";
import { areSimilar, type Fingerprint, fingerprint } from "./similar.ts";
import { cleanText, MAX_MEMORY_CHARS } from "./text.ts";

/** A fact as the historian gives it. */
interface Fact {
  readonly category: Category;
  /** 0 to 100. */
  readonly importance: number;
  readonly text: string;
}

/** A fact with the source that it rests on, and the segment that it was read out of; null when not known. */
export interface SourcedFact extends Fact {
  readonly source: Exclude<Source, "user">;
  readonly segment: Ref | null;
}

/**
 * A new fact that a user has said is added; any other one is a candidate, unless it was one before,
 * whatever has become of it. One that a memory says already, in these words or nearly, confirms it: the
 * memory keeps its wording, and takes the higher importance if a user has said so. What can't be stored
 * is left out.
 * @returns for `MemoryStore.apply`
 * @param memories the project's own
 */
export function promoteFacts(
  facts: readonly SourcedFact[],
  memories: readonly Pick<Memory, "id" | "text" | "state">[],
): readonly MemoryChange[] {
  const all = memories
    .filter(({ state }) => state.kind !== "superseded")
    .map((memory) => ({ memory, print: fingerprint(memory.text) }));
  const active = all.filter(({ memory }) => memory.state.kind === "active");
  const added: Fingerprint[] = [];
  const changes: MemoryChange[] = [];
  const isFromPrompt = ({ source }: SourcedFact) => source === "prompt";
  for (const fact of [
    ...facts.filter(isFromPrompt),
    ...facts.filter((one) => !isFromPrompt(one)),
  ]) {
    const cleaned = cleanText(fact.text, MAX_MEMORY_CHARS);
    if (cleaned.kind === "refused") continue;
    const { text } = cleaned;
    const print = fingerprint(text);
    if (added.some((one) => areSimilar(one, print))) continue;
    const same = findBestMatch(active, print)?.memory;
    const importance = clampImportance(fact.importance);
    if (same) {
      changes.push({
        kind: "confirm",
        id: same.id,
        importance: isFromPrompt(fact) ? importance : 0,
      });
      continue;
    }
    if (!isFromPrompt(fact) && findBestMatch(all, print)) continue;
    added.push(print);
    const { category, source, segment } = fact;
    const wording = { category, text, importance, permanence: "ordinary" } as const;
    const state = isFromPrompt(fact) ? "active" : "candidate";
    changes.push({ kind: "learn", wording, source, state, segment });
  }
  return changes;
}

/** The one of exactly the same words before one of nearly the same. */
function findBestMatch<Known extends { readonly print: Fingerprint }>(
  known: readonly Known[],
  print: Fingerprint,
): Known | undefined {
  return (
    known.find((one) => one.print.digest === print.digest) ??
    known.find((one) => areSimilar(one.print, print))
  );
}

/** The memory that says what a text says, if there is one. */
export function findExistingMemory<One extends Pick<Memory, "text">>(
  text: string,
  active: readonly One[],
): One | null {
  const known = active.map((memory) => ({ memory, print: fingerprint(memory.text) }));
  return findBestMatch(known, fingerprint(text))?.memory ?? null;
}

function clampImportance(importance: number): number {
  return Math.round(Math.min(MAX_MODEL_IMPORTANCE, Math.max(0, importance)));
}
