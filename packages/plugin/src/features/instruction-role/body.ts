// A request's body, and how updates are found in it.
import { splitUpdatesAtEnd, UPDATE_GAP } from "../../context/frames.ts";

/** A request's body, and what is in it. */
export type JsonObject = { readonly [key: string]: unknown };

/** An update that stands in a request as the user's text, or at the end of a tool's result. */
export interface SentUpdate {
  /** Rank of its entry in the session's ledger. */
  readonly seq: number;
  /** The wrapped text, as it is stored and sent. */
  readonly text: string;
  readonly place: "text" | "result";
  /** Its place among the user's texts, or ends of results, that read exactly so; counted from 0. */
  readonly nth: number;
}

/** A body with some of its updates as messages of the provider's own instruction role. */
export interface LoweredBody {
  readonly body: JsonObject;
  readonly native: readonly number[];
  /** Wanted so, but standing where the provider takes no such message: left as they are. */
  readonly displaced: readonly number[];
}

/** A result that ends in updates that are searched for. */
export interface ResultEnd {
  /** The result up to them. */
  readonly own: string;
  readonly updates: readonly { readonly seq: number; readonly text: string }[];
  /** Ranks of those that something else stands after. */
  readonly inside: readonly number[];
}

/** Finds updates among the user's texts and in results, which must be shown to it all, in order. */
export class UpdateFinder {
  readonly #texts: UpdateRanks;
  readonly #results: UpdateRanks;

  constructor(updates: readonly SentUpdate[]) {
    this.#texts = new UpdateRanks(updates.filter(({ place }) => place === "text"));
    this.#results = new UpdateRanks(updates.filter(({ place }) => place === "result"));
  }

  /** The rank of the update that this text is, if it is one. */
  match(text: unknown): number | null {
    return typeof text === "string" ? this.#texts.nextRank(text) : null;
  }

  /** Returns null where the result has none of the updates. */
  matchResult(text: unknown): ResultEnd | null {
    if (typeof text !== "string") return null;
    const all = splitUpdatesAtEnd(text).updates.map((update) => {
      return { text: update, seq: this.#results.nextRank(update) };
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

/** Finds an update's rank by its text and by the number of times that this has come. */
class UpdateRanks {
  readonly #wanted = new Map<string, Map<number, number>>();
  readonly #seen = new Map<string, number>();

  constructor(updates: readonly SentUpdate[]) {
    for (const { text, nth, seq } of updates) {
      const known = this.#wanted.get(text) ?? new Map<number, number>();
      this.#wanted.set(text, known.set(nth, seq));
    }
  }

  nextRank(text: string): number | null {
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

/** The members of an array that are objects all; null for anything else. */
export function toObjects(value: unknown): readonly JsonObject[] | null {
  return Array.isArray(value) && value.every(isObject) ? value : null;
}
