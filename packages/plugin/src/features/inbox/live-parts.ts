// Parts of prompts that came to this process: as we left them, and the host's own lists of them.
import type { HistoryPart } from "../../feature-api/prompt-host.ts";
import { holdsAll, isWhole } from "./prompt-status.ts";
import type { InboxStore } from "./store.ts";

type Parts = readonly Readonly<Record<string, unknown>>[];

const MAX_PROMPTS = 1_000;

export class LiveParts {
  /** Keyed by message id. `live`: other plugins may change it after us. */
  readonly #prompts = new Map<string, { readonly ids: readonly string[]; readonly live: Parts }>();

  constructor(private readonly rows: () => Pick<InboxStore, "find" | "prompt" | "resolve">) {}

  keep(messageId: string, live: Parts): void {
    if (this.#prompts.size > MAX_PROMPTS) this.#prompts.clear();
    this.#prompts.set(messageId, { ids: listPartIds(live), live });
  }

  forget(messageId: string): void {
    this.#prompts.delete(messageId);
  }

  /** Prompts that came to this process are known in memory; the store is asked for the others only. */
  areAllIn(messageId: string, parts: readonly HistoryPart[]): boolean {
    const known = this.#prompts.get(messageId);
    if (known) return holdsAll(parts, listPartIds(known.live));
    const input = this.rows().find(messageId);
    const prompt = input && this.rows().prompt(input.id);
    return prompt === null || isWhole(parts, prompt);
  }

  /** Another plugin may have taken parts out of a prompt after us: it is whole without them. */
  follow(messageId: string): void {
    const known = this.#prompts.get(messageId);
    const left = new Set(known && listPartIds(known.live));
    const gone = new Set(known?.ids.filter((id) => !left.has(id)));
    if (gone.size === 0) return;
    const input = this.rows().find(messageId);
    const stored = input && this.rows().prompt(input.id);
    if (!stored) return;
    const parts = stored.parts.filter(({ id }) => !gone.has(String(id)));
    this.rows().resolve(input.id, { ...stored, parts });
  }
}

function listPartIds(parts: Parts): readonly string[] {
  return parts.map(({ id }) => String(id));
}
