// What other features find for a look-up, beside histories.
import type { Ref } from "../projection/ref.ts";
import type { Term } from "../recall/words.ts";
import type { SessionId } from "../storage/records.ts";

/** One text, found as a whole. */
export interface Finding {
  readonly ref: Ref;
  /** What it is, in a few words. */
  readonly words: string;
  /** In whole lines. */
  readonly lines: readonly string[];
  readonly madeAtMs: number;
}

export interface Found {
  /** Best first. */
  readonly findings: readonly Finding[];
  /** How many match besides, and are in the session's context already. */
  readonly inContext: number;
}

/** Never rejects: what can't be read now is not found. */
export interface Finder {
  readonly search: (sessionId: SessionId, terms: readonly Term[]) => Promise<Found>;
  /** The text that a ref names; null: none of its own. */
  readonly show: (ref: Ref) => Promise<Finding | null>;
}

/** Of one plugin instance: features add theirs as they are opened. */
export class Finders {
  readonly #finders: Finder[] = [];

  add(finder: Finder): void {
    this.#finders.push(finder);
  }

  async search(sessionId: SessionId, terms: readonly Term[]): Promise<Found> {
    const all = await Promise.all(this.#finders.map((one) => one.search(sessionId, terms)));
    return {
      findings: fused(all.map(({ findings }) => findings)),
      inContext: all.reduce((sum, { inContext }) => sum + inContext, 0),
    };
  }

  async show(ref: Ref): Promise<Finding | null> {
    for (const finder of this.#finders) {
      const found = await finder.show(ref);
      if (found) return found;
    }
    return null;
  }
}

/**
 * Lists that have nothing in common, fused by reciprocal ranks: the first of each, then the second. Their
 * scores can't be compared, their ranks can.
 */
export function fused<One>(lists: readonly (readonly One[])[]): readonly One[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, rank) =>
    lists.flatMap((list) => list.slice(rank, rank + 1)),
  ).flat();
}
