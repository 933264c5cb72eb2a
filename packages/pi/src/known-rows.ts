// Caches the rows of earlier calls: an entry's messages stay the same, so its row is built once.
import type { SessionMessage } from "@session-runtime/opencode/session/history";
import type { PiMessage } from "./pi.ts";

/** Holds the other inputs of a row. */
export interface RowKey {
  readonly id: string;
  /** The prompt that the row answers. */
  readonly promptId: string;
  /** Pi's own messages from its entries, which are the same objects in each call while unchanged. */
  readonly own: readonly PiMessage[];
}

interface KnownRow extends Omit<RowKey, "id"> {
  readonly row: SessionMessage;
}

/** Caches a session's rows for one model at a time: a user's row names the model that the call goes to. */
export class KnownRows {
  #rows = new Map<string, KnownRow>();
  #model = "";

  use(model: string): void {
    if (model !== this.#model) this.#rows = new Map();
    this.#model = model;
  }

  row({ id, promptId, own }: RowKey, build: () => SessionMessage): SessionMessage {
    const known = this.#rows.get(id);
    const isSame =
      known?.promptId === promptId &&
      known.own.length === own.length &&
      known.own.every((message, at) => message === own[at]);
    if (isSame) return known.row;
    const row = build();
    this.#rows.set(id, { promptId, own, row });
    return row;
  }
}
