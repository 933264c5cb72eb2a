// Separates the tools that the host describes for one call from those of other calls.

/** Maps the names of the tools that one model call offers to their descriptions; null if unknown. */
export type OfferedTools = ReadonlyMap<string, string> | null;

/**
 * Collects the tools of one call. The host describes all of them right before it asks for the call's history,
 * and names no session with them. Two calls at once can't be distinguished, and count as unknown.
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

  /** Returns the tools described since the last time; the next description begins a new round. */
  take(): OfferedTools {
    const offered = this.#state === "open" ? this.#tools : null;
    this.#state = "taken";
    return offered;
  }
}
