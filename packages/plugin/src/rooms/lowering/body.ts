// A request's body, and how updates are found in it.

/** A request's body, and what is in it. */
export type JsonObject = { readonly [key: string]: unknown };

/** An update that stands in a request as the user's text. */
export interface StandingUpdate {
  /** Rank of its entry in the session's ledger. */
  readonly seq: number;
  /** The wrapped text, as it is stored and sent. */
  readonly text: string;
  /** Which of the user's texts that read exactly so it is, from 0. */
  readonly nth: number;
}

/** A body with some of its updates as messages of the provider's own instruction role. */
export interface LoweredBody {
  readonly body: JsonObject;
  readonly native: readonly number[];
  /** Wanted so, but standing where the provider takes no such message: left as they are. */
  readonly displaced: readonly number[];
}

/** Finds updates among the user's texts, which must be shown to it all, in order. */
export class UpdateFinder {
  readonly #wanted = new Map<string, Map<number, number>>();
  readonly #seen = new Map<string, number>();

  constructor(updates: readonly StandingUpdate[]) {
    for (const { text, nth, seq } of updates) {
      const known = this.#wanted.get(text) ?? new Map<number, number>();
      this.#wanted.set(text, known.set(nth, seq));
    }
  }

  /** The rank of the update that this text is, if it is one. */
  match(text: unknown): number | null {
    if (typeof text !== "string") return null;
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
export function objectsOf(value: unknown): readonly JsonObject[] | null {
  return Array.isArray(value) && value.every(isObject) ? value : null;
}
