// Adds up what re-reading dropped results has cost, and finds the calls that only repeat themselves.
import { type HostMessage, readResultText } from "../ledger/message.ts";
import { isEndedCall } from "./results.ts";
import { isStaleStub } from "./stub.ts";

/** The fate of a result: it stands (or an equal text does), was dropped for its age, or was folded. */
type ResultFate = "stands" | "dropped" | "folded";

/** Returns the fate of a part by its id. */
export type FindFate = (partId: string) => ResultFate;

/** Finds fates in the messages as sent. The map is built on the first query, as most sessions make none. */
export function createFateLookup(projected: readonly HostMessage[]): FindFate {
  let shown: ReadonlyMap<string, string> | null = null;
  return (partId) => {
    shown ??= collectShownResults(projected);
    const text = shown.get(partId);
    if (text === undefined) return "folded";
    return isStaleStub(text) ? "dropped" : "stands";
  };
}

function collectShownResults(projected: readonly HostMessage[]): ReadonlyMap<string, string> {
  const calls = projected.flatMap(({ parts }) => parts.filter(isEndedCall));
  return new Map(calls.map((part) => [part.id, readResultText(part)]));
}

/** A result that was requested again and had not changed. */
export interface RepeatedRead {
  /** The key of the call. */
  readonly key: string;
  /** `expansion` read the result through a look-up; `call` fetched it whole again. */
  readonly by: "call" | "expansion";
  /** The place of the former result relative to the later call: within the tail, or beyond it. */
  readonly place: "tail" | "beyond";
  /** The part ids of the earlier result and of the one that repeats it. */
  readonly formerId: string;
  readonly laterId: string;
  /** The cost in input tokens. */
  readonly cost: number;
}

/** Adds up the costs over all examined calls. */
export class ReReadCosts {
  readonly #costs = new Map<string, number>();
  /** The keys of calls that came although their result stood, and so would come in any case. */
  readonly #habits = new Set<string>();

  constructor(private readonly findFate: FindFate) {}

  /** The total cost in input tokens. */
  get total(): number {
    return [...this.#costs.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** Counts a re-read and returns its cost in input tokens; 0 if a longer tail would not have saved it. */
  add(again: RepeatedRead): number {
    if (!this.#isRegret(again)) return 0;
    const { key, cost } = again;
    this.#costs.set(key, (this.#costs.get(key) ?? 0) + cost);
    return cost;
  }

  #isRegret({ key, by, place, formerId, laterId }: RepeatedRead): boolean {
    const isBeyond = place === "beyond";
    if (by === "expansion") return isBeyond;
    switch (this.findFate(formerId)) {
      case "stands":
        this.#forget(key);
        return false;
      case "dropped":
        return isBeyond && !this.#habits.has(key);
      case "folded":
        // If both results are folded, it is unknown whether the earlier one stood when the later one came.
        return isBeyond && this.findFate(laterId) !== "folded" && !this.#habits.has(key);
    }
  }

  /** Takes back costs of a call that turned out to be a habit. */
  #forget(key: string): void {
    this.#habits.add(key);
    this.#costs.delete(key);
  }
}
