// Holds the ordered, scoped set of source producers.
import { compareKeys } from "./key.ts";
import { combine, type SystemContext } from "./system-context.ts";

/** Returns the sources that hold in a scope (Location, session, agent, model), in a form of its own. */
type Producer<Scope, Product = SystemContext> = (scope: Scope) => Product | Promise<Product>;

export interface RegistryEntry<Scope, Product> {
  readonly key: string;
  readonly producer: Producer<Scope, Product>;
}

export class DuplicateEntryError extends Error {
  readonly code = "duplicate_registry_entry";
  constructor(readonly key: string) {
    super(`The registry already has an entry ${JSON.stringify(key)}.`);
    this.name = "DuplicateEntryError";
  }
}

/** The scoped producers of Context Sources, independent of the order in which they were registered. */
export class Registry<Scope, Product = SystemContext> {
  readonly #entries = new Map<string, RegistryEntry<Scope, Product>>();

  /**
   * Registers a producer and returns its disposer, which may be called again and never removes a later entry.
   * @throws DuplicateEntryError
   */
  register(entryKey: string, producer: Producer<Scope, Product>): () => void {
    if (this.#entries.has(entryKey)) throw new DuplicateEntryError(entryKey);
    const entry = { key: entryKey, producer };
    this.#entries.set(entryKey, entry);
    return () => {
      if (this.#entries.get(entryKey) === entry) this.#entries.delete(entryKey);
    };
  }

  /** Lists all entries in key order, for a caller that runs each producer under a guard of its own. */
  entries(): readonly RegistryEntry<Scope, Product>[] {
    return [...this.#entries.values()].sort((left, right) => compareKeys(left.key, right.key));
  }

  /**
   * Runs all producers again, concurrently, and combines their results in the entries' key order. Rejects when a
   * producer fails, or with DuplicateKeyError.
   */
  async load(this: Registry<Scope, SystemContext>, scope: Scope): Promise<SystemContext> {
    const entries = this.entries();
    return combine(await Promise.all(entries.map(async ({ producer }) => producer(scope))));
  }
}
