import { compareKeys } from "./key.ts";
import { combine, type SystemContext } from "./system-context.ts";

/** Gives the sources that hold in a scope (Location, session, agent, model). */
export type Producer<Scope> = (scope: Scope) => SystemContext | Promise<SystemContext>;

export class DuplicateEntryError extends Error {
  readonly code = "duplicate_registry_entry";
  constructor(readonly key: string) {
    super(`The registry has an entry ${JSON.stringify(key)} already.`);
    this.name = "DuplicateEntryError";
  }
}

/** The scoped producers of Context Sources; what order they came in never shows. */
export class Registry<Scope> {
  readonly #entries = new Map<string, { readonly producer: Producer<Scope> }>();

  /**
   * Gives back the entry's disposer, which may be called again and leaves a later entry alone.
   * @throws DuplicateEntryError
   */
  register(entryKey: string, producer: Producer<Scope>): () => void {
    if (this.#entries.has(entryKey)) throw new DuplicateEntryError(entryKey);
    const entry = { producer };
    this.#entries.set(entryKey, entry);
    return () => {
      if (this.#entries.get(entryKey) === entry) this.#entries.delete(entryKey);
    };
  }

  /**
   * Runs all producers anew, at the same time, and combines what they give in the entries' key order.
   * Rejects when a producer fails, or with DuplicateKeyError.
   */
  async load(scope: Scope): Promise<SystemContext> {
    const entries = [...this.#entries].sort(([left], [right]) => compareKeys(left, right));
    return combine(await Promise.all(entries.map(async ([, entry]) => entry.producer(scope))));
  }
}
