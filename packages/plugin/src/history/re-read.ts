// What asking again for dropped results has cost, and which calls only repeat themselves.
import { type HostMessage, resultText } from "../ledger/message.ts";
import { isEndedCall } from "./results.ts";
import { isStaleStub } from "./stub.ts";

/** What became of a result: it stands, or something that says the same does; it left by its age; or in a fold. */
type ResultFate = "stands" | "dropped" | "folded";

/** By part id. */
export type FatesByPart = (partId: string) => ResultFate;

/** As messages are sent; looked up at the first question, as most sessions have none. */
export function fatesIn(projected: readonly HostMessage[]): FatesByPart {
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
  return new Map(calls.map((part) => [part.id, resultText(part)]));
}

/** A result that was asked for once more, unchanged. */
export interface RepeatedRead {
  /** Of the call. */
  readonly key: string;
  /** An expansion takes a look; a call gets the whole again. */
  readonly by: "call" | "expansion";
  /** Where the former one stood, seen from the call. */
  readonly place: "tail" | "beyond";
  /** Of the result that stood before, and of the one that it came as. */
  readonly formerId: string;
  readonly laterId: string;
  /** What it costs, in input tokens. */
  readonly cost: number;
}

/** Over all calls that are looked at. */
export class ReReadCosts {
  readonly #costs = new Map<string, number>();
  /** Keys of calls that came though their result stood: they come anyway. */
  readonly #habits = new Set<string>();

  constructor(private readonly findFate: FatesByPart) {}

  /** In input tokens. */
  get total(): number {
    return [...this.#costs.values()].reduce((sum, cost) => sum + cost, 0);
  }

  /** What it counts with, in input tokens; 0: a longer tail would have spared nothing. */
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
        // Of two in a fold, nobody knows whether the former stood when the later came.
        return isBeyond && this.findFate(laterId) !== "folded" && !this.#habits.has(key);
    }
  }

  /** What looked like regret was habit. */
  #forget(key: string): void {
    this.#habits.add(key);
    this.#costs.delete(key);
  }
}
