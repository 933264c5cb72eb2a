// Defines a request's body, and how updates are found in it.
import { splitUpdatesAtEnd, UPDATE_GAP } from "../../context/frames.ts";

/** An object in a request's body, or the body itself. */
export type JsonObject = { readonly [key: string]: unknown };

/** An update that a request contains as the user's text, or at the end of a tool's result. */
export interface SentUpdate {
  /** The rank of the update's entry in the session's ledger. */
  readonly seq: number;
  /** The wrapped text, as it is stored and sent. */
  readonly text: string;
  readonly place: "text" | "result";
  /**
   * The index, from 0, of this update among the user's texts, or the ends of results, that have exactly the
   * same text.
   */
  readonly nth: number;
}

/** A body with some of its updates as messages of the provider's own instruction role. */
export interface LoweredBody {
  readonly body: JsonObject;
  readonly nativeSeqs: readonly number[];
  /**
   * Ranks of updates that were wanted in the role but stand where the provider accepts no such message; they
   * are left as text.
   */
  readonly displacedSeqs: readonly number[];
}

/** A result that ends in updates that were searched for. */
export interface ResultEnd {
  /** The result without those updates. */
  readonly own: string;
  readonly updates: readonly { readonly seq: number; readonly text: string }[];
  /** Ranks of the updates that something else follows. */
  readonly inside: readonly number[];
}

/**
 * Finds updates among the user's texts and in results; all texts and results must be passed to it in order.
 */
export class UpdateFinder {
  readonly #texts: UpdateRanks;
  readonly #results: UpdateRanks;

  constructor(updates: readonly SentUpdate[]) {
    this.#texts = new UpdateRanks(updates.filter(({ place }) => place === "text"));
    this.#results = new UpdateRanks(updates.filter(({ place }) => place === "result"));
  }

  /** Returns the rank of the update that this text is; null if it is none. */
  match(text: unknown): number | null {
    return typeof text === "string" ? this.#texts.takeNextRank(text) : null;
  }

  /** Finds the updates at the end of a result; null if the result contains none of the updates. */
  matchResult(text: unknown): ResultEnd | null {
    if (typeof text !== "string") return null;
    const all = splitUpdatesAtEnd(text).updates.map((update) => {
      return { text: update, seq: this.#results.takeNextRank(update) };
    });
    const end = all.findLastIndex(({ seq }) => seq === null) + 1;
    const ranked = all.flatMap(({ seq, text: update }) =>
      seq === null ? [] : [{ seq, text: update }],
    );
    if (ranked.length === 0) return null;
    const updates = ranked.slice(ranked.length - (all.length - end));
    const inside = ranked.slice(0, ranked.length - updates.length).map(({ seq }) => seq);
    const length = updates.reduce((sum, update) => sum + UPDATE_GAP.length + update.text.length, 0);
    return { own: text.slice(0, text.length - length), updates, inside };
  }
}

/** Finds an update's rank by its text and by how often that text has already occurred. */
class UpdateRanks {
  readonly #wanted = new Map<string, Map<number, number>>();
  readonly #seen = new Map<string, number>();

  constructor(updates: readonly SentUpdate[]) {
    for (const { text, nth, seq } of updates) {
      const known = this.#wanted.get(text) ?? new Map<number, number>();
      this.#wanted.set(text, known.set(nth, seq));
    }
  }

  takeNextRank(text: string): number | null {
    const wanted = this.#wanted.get(text);
    if (!wanted) return null;
    const nth = this.#seen.get(text) ?? 0;
    this.#seen.set(text, nth + 1);
    return wanted.get(nth) ?? null;
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the elements of an array if all of them are objects; null for anything else. */
export function toObjects(value: unknown): readonly JsonObject[] | null {
  return Array.isArray(value) && value.every(isObject) ? value : null;
}
