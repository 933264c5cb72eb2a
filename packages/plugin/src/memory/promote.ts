// Which of the historian's facts become memories. Pure: the same facts and memories, the same changes.
import type { Category, Memory, MemoryChange } from "./record.ts";
import { type Fingerprint, fingerprint, sayTheSame } from "./similar.ts";
import { cleanText, MAX_MEMORY_CHARS } from "./text.ts";

/** As the historian gives it. */
export interface Fact {
  readonly category: Category;
  /** 0 to 100. */
  readonly importance: number;
  readonly text: string;
}

/**
 * A new fact is added. One that a memory says already, in these words or nearly, confirms it: the memory
 * keeps its wording, and takes the higher importance. What can't be stored is left out.
 * @returns for `MemoryStore.apply`, in the order of the facts
 * @param active the project's own memories that are active; others are not known to be true
 */
export function promote(
  facts: readonly Fact[],
  active: readonly Pick<Memory, "id" | "text" | "importance">[],
): readonly MemoryChange[] {
  const known = active.map((memory) => ({ memory, print: fingerprint(memory.text) }));
  const added: Fingerprint[] = [];
  const changes: MemoryChange[] = [];
  for (const fact of facts) {
    const cleaned = cleanText(fact.text, MAX_MEMORY_CHARS);
    if (cleaned.kind === "refused") continue;
    const { text } = cleaned;
    const print = fingerprint(text);
    if (added.some((one) => sayTheSame(one, print))) continue;
    const same = bestOf(known, print)?.memory;
    const importance = clamped(fact.importance);
    if (same) {
      changes.push({ kind: "confirm", id: same.id, importance });
      continue;
    }
    added.push(print);
    const { category } = fact;
    changes.push({ kind: "add", wording: { category, text, importance, permanence: "ordinary" } });
  }
  return changes;
}

/** The one of exactly the same words before one of nearly the same. */
function bestOf<Known extends { readonly print: Fingerprint }>(
  known: readonly Known[],
  print: Fingerprint,
): Known | undefined {
  return (
    known.find((one) => one.print.digest === print.digest) ??
    known.find((one) => sayTheSame(one.print, print))
  );
}

/** The memory that says what a text says, if there is one. */
export function saidAlready<One extends Pick<Memory, "text">>(
  text: string,
  active: readonly One[],
): One | null {
  const known = active.map((memory) => ({ memory, print: fingerprint(memory.text) }));
  return bestOf(known, fingerprint(text))?.memory ?? null;
}

function clamped(importance: number): number {
  return Math.round(Math.min(100, Math.max(0, importance)));
}
