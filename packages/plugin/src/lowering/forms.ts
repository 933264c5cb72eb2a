// The form in which each model was first sent each update.
import type { EntryForm, FormDecision, FormOwner } from "../storage/form-records.ts";
import type { RuntimeDatabase } from "../storage/store.ts";

/** For so long a provider's refusal keeps a model from being asked again. */
const REFUSAL_MS = 7 * 86_400_000;

interface FormBookDeps {
  /** @throws StorageError while there is none. */
  readonly database: () => RuntimeDatabase;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly storageFailed: (error: unknown) => void;
}

/** The stored forms of updates, with what is known of them while the database can't be asked. */
export class FormBook {
  readonly #known = new Map<string, ReadonlyMap<number, EntryForm>>();
  readonly #refused = new Set<string>();
  readonly #without = new Set<string>();

  constructor(private readonly deps: FormBookDeps) {}

  of(owner: FormOwner): ReadonlyMap<number, EntryForm> {
    const key = keyOf(owner);
    try {
      const forms = this.deps.database().forms.of(owner);
      this.#known.set(key, forms);
      return forms;
    } catch (error) {
      this.deps.storageFailed(error);
      return this.#known.get(key) ?? new Map();
    }
  }

  /** Whether anything was sent natively; a no is remembered, so that it is asked for once. */
  hasNative(owner: FormOwner): boolean {
    const key = keyOf(owner);
    if (this.#without.has(key)) return false;
    const found = [...this.of(owner).values()].includes("native");
    if (!found) this.#without.add(key);
    return found;
  }

  /** `failed`: nothing of it is stored, and nothing new may be sent by it. */
  decide(owner: FormOwner, decisions: readonly FormDecision[]): "stored" | "failed" {
    if (decisions.length === 0) return "stored";
    try {
      this.deps.database().forms.decide(owner, decisions, this.deps.now());
      return "stored";
    } catch (error) {
      this.deps.storageFailed(error);
      return "failed";
    } finally {
      if (decisions.some(({ cause }) => cause === "refused")) this.#refused.add(modelOf(owner));
    }
  }

  isRefused(owner: FormOwner): boolean {
    if (this.#refused.has(modelOf(owner))) return true;
    const { providerId, modelId } = owner;
    const sinceMs = this.deps.now() - REFUSAL_MS;
    try {
      return this.deps.database().forms.refusedSince(providerId, modelId, sinceMs);
    } catch (error) {
      this.deps.storageFailed(error);
      return true;
    }
  }
}

function keyOf(owner: FormOwner): string {
  return `${owner.sessionId} ${modelOf(owner)}`;
}

function modelOf({ providerId, modelId }: FormOwner): string {
  return `${providerId}/${modelId}`;
}
