// The rows of former calls: an entry's messages stay what they are, so its row is built once.
import type { SessionMessage } from "../../plugin/src/session/history.ts";
import type { PiMessage } from "./pi.ts";

/** What else a row is made of. */
export interface RowKey {
  readonly id: string;
  /** The prompt that it answers. */
  readonly promptId: string;
  /** Of Pi's own, as its entries hold them: the same objects in each call, where they are the same. */
  readonly own: readonly PiMessage[];
}

interface KnownRow extends Omit<RowKey, "id"> {
  readonly row: SessionMessage;
}

/** Of one session, for one model at a time: a user's row names the model that the call goes to. */
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
