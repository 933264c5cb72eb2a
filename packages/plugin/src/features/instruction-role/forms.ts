// Remembers the form in which each model was first sent each update.
import type { RuntimeDatabase } from "../../storage/database.ts";
import type { EntryForm, FormDecision, FormOwner, FormStore } from "../../storage/form-store.ts";

/** The time for which a model is not asked again after its provider has refused. */
const REFUSAL_LIFETIME_MS = 7 * 86_400_000;

/** The stored forms of updates, and what is known of them while the database can't be queried. */
export class FormCache {
  readonly #known = new Map<string, ReadonlyMap<number, EntryForm>>();
  readonly #refused = new Set<string>();
  readonly #without = new Set<string>();

  constructor(
    private readonly deps: {
      /** @throws StorageError while no database is open */
      readonly database: () => RuntimeDatabase;
      /** Milliseconds since 1970. */
      readonly now: () => number;
      readonly storageFailed: (error: unknown) => void;
    },
  ) {}

  readForms(owner: FormOwner): ReadonlyMap<number, EntryForm> {
    const key = toFormKey(owner);
    const forms = this.#askStore((store) => store.of(owner)) ?? this.#known.get(key) ?? new Map();
    this.#known.set(key, forms);
    return forms;
  }

  /**
   * Returns true if anything was sent natively; a false answer is remembered, so the database is queried only
   * once.
   */
  hasNative(owner: FormOwner): boolean {
    const key = toFormKey(owner);
    if (this.#without.has(key)) return false;
    const found = [...this.readForms(owner).values()].includes("native");
    if (!found) this.#without.add(key);
    return found;
  }

  /**
   * Stores decisions. `failed`: none of them is stored, and nothing new may be sent in the form that they
   * chose.
   */
  decide(owner: FormOwner, decisions: readonly FormDecision[]): "stored" | "failed" {
    if (decisions.length === 0) return "stored";
    if (decisions.some(({ cause }) => cause === "refused")) this.#refused.add(toModelKey(owner));
    const stored = this.#askStore((store) => {
      store.decide(owner, decisions, this.deps.now());
      return "stored" as const;
    });
    return stored ?? "failed";
  }

  /** Returns true if the provider has refused, or if the database can't be read, so that nothing is tried. */
  isRefused(owner: FormOwner): boolean {
    if (this.#refused.has(toModelKey(owner))) return true;
    const { providerId, modelId } = owner;
    const sinceMs = this.deps.now() - REFUSAL_LIFETIME_MS;
    return this.#askStore((store) => store.refusedSince(providerId, modelId, sinceMs)) ?? true;
  }

  /** Returns null if the database can't be read. */
  #askStore<Answer>(ask: (store: FormStore) => Answer): Answer | null {
    try {
      return ask(this.deps.database().forms);
    } catch (error) {
      this.deps.storageFailed(error);
      return null;
    }
  }
}

function toFormKey(owner: FormOwner): string {
  return `${owner.sessionId} ${toModelKey(owner)}`;
}

function toModelKey({ providerId, modelId }: FormOwner): string {
  return `${providerId}/${modelId}`;
}
