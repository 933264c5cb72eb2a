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

/** A fact as the historian reports it. */
interface Fact {
  readonly category: Category;
  /** A number from 0 to 100. */
  readonly importance: number;
  readonly text: string;
}

/** A fact with its source, and the segment in which it was found; null if that is unknown. */
export interface SourcedFact extends Fact {
  readonly source: Exclude<Source, "user">;
  readonly segment: Ref | null;
}

/**
 * Adds a new fact if a user has said it. Any other new fact becomes a candidate, unless a candidate or an
 * archived memory says it already. A fact that an active memory says already, in these or similar words,
 * confirms that memory: its wording stays, and it takes the higher importance if a user has said the fact.
 * What can't be stored is left out.
 * @returns changes for `MemoryStore.apply`
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

/** Finds the best match: exactly the same words are preferred to similar ones. */
function findBestMatch<Known extends { readonly print: Fingerprint }>(
  known: readonly Known[],
  print: Fingerprint,
): Known | undefined {
  return (
    known.find((one) => one.print.digest === print.digest) ??
    known.find((one) => areSimilar(one.print, print))
  );
}

/** Returns the memory that already says what the text says; null if there is none. */
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
