// The tools that the host describes for one call, kept apart from those of other calls.

/** By name, the descriptions of the tools that one model call offers; null: it is not known which. */
export type OfferedTools = ReadonlyMap<string, string> | null;

/**
 * The host describes all of a call's tools right before it asks for the call's history, and names no
 * session with them. What two calls at once describe can't be distinguished: that counts as not known.
 */
export class ToolRound {
  #tools = new Map<string, string>();
  #state: "open" | "mixed" | "taken" = "taken";

  saw(toolId: string, description: string): void {
    if (this.#state === "taken") {
      this.#tools = new Map();
      this.#state = "open";
    }
    if (this.#tools.has(toolId)) this.#state = "mixed";
    this.#tools.set(toolId, description);
  }

  /** What was described since the last time; the next description begins a new round. */
  take(): OfferedTools {
    const offered = this.#state === "open" ? this.#tools : null;
    this.#state = "taken";
    return offered;
  }
}
