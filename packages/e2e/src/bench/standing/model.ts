// The scripted model of the benchmark: it works as the script says, and obeys what stands in its request.
import { allTextIn } from "../../json.ts";
import { type Reply, say } from "../../provider/reply.ts";
import { Answerer } from "../history/answerer.ts";
import type { ModelRequest } from "../history/frugal-provider.ts";
import { type Instruction, isObeyed } from "./instructions.ts";
import type { StandingTurn } from "./script.ts";

/** Nothing that it says quotes an instruction: only what the user typed can stand. */
export class StandingModel {
  readonly #worker = new Answerer("none");
  #moments: readonly Instruction[] = [];
  readonly #obeyed = new Map<Instruction, "obeyed" | "missed">();
  /** All that it is asked at once; null: it works. */
  #review: readonly Instruction[] | null = null;
  #reviewed: readonly Instruction[] = [];

  begin({ work, moments }: StandingTurn): void {
    this.#review = null;
    this.#moments = moments;
    this.#worker.begin(work);
  }

  /** The next turn is one call, at which all of these matter. */
  review(instructions: readonly Instruction[]): void {
    this.#review = instructions;
    this.#reviewed = [];
  }

  /** Of the last review. */
  get reviewed(): readonly Instruction[] {
    return this.#reviewed;
  }

  /** At their own moments, so far. */
  get obeyed(): readonly Instruction[] {
    return [...this.#obeyed].flatMap(([one, how]) => (how === "obeyed" ? [one] : []));
  }

  respond(heard: ModelRequest): Reply {
    if (heard.kind !== "main") return this.#worker.respond(heard);
    const seen = allTextIn(heard.body);
    if (this.#review) {
      this.#reviewed = this.#review.filter((one) => isObeyed(one, seen));
      return say("I went through it.");
    }
    // A turn has several calls: an instruction is missed where one of them doesn't show it.
    for (const one of this.#moments) {
      const isMissed = this.#obeyed.get(one) === "missed" || !isObeyed(one, seen);
      this.#obeyed.set(one, isMissed ? "missed" : "obeyed");
    }
    return this.#worker.respond(heard);
  }
}
