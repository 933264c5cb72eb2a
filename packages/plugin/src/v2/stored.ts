// What OpenCode 2 has on its messages beside a request: when they were made, and what the provider counted.
import { type Fields, fieldsOf } from "../context/fields.ts";
import { within } from "../sources/within.ts";
import type { V2Context, V2ContextEvent } from "./context.ts";

/** The request waits no longer. */
const ANSWER_MS = 500;

/** As the rows of the kernel have it. */
export interface StoredFacts {
  readonly time: { readonly created: number; readonly completed?: number };
  /** Of an answer, as far as it has them. */
  readonly tokens?: Fields;
  readonly finish?: string;
  readonly error?: Fields;
}

export type StoredMessages = ReadonlyMap<string, StoredFacts>;

const NOTHING: StoredMessages = new Map();

export class StoredReader {
  /** A host that is late once is asked no more: each request would wait for it. */
  #standing: "answers" | "late" = "answers";

  constructor(private readonly host: Pick<V2Context["session"], "context">) {}

  /** All messages of the request that have an id, or none: times of some alone would be a pause that never was. */
  async of({ sessionID, messages }: V2ContextEvent): Promise<StoredMessages> {
    if (!this.host.context || this.#standing === "late") return NOTHING;
    const asked = this.host.context({ sessionID }).catch(() => []);
    const listed = await within(ANSWER_MS, asked, () => "late" as const);
    if (listed === "late") {
      this.#standing = "late";
      return NOTHING;
    }
    const found = new Map(listed.flatMap(storedIn));
    return messages.every(({ id }) => id === undefined || found.has(id)) ? found : NOTHING;
  }
}

function storedIn(message: unknown): readonly (readonly [string, StoredFacts])[] {
  const { id, time, tokens, finish, error } = fieldsOf(message);
  const { created, completed } = fieldsOf(time);
  if (typeof id !== "string" || typeof created !== "number") return [];
  const known = typeof completed === "number" ? { created, completed } : { created };
  return [
    [
      id,
      {
        time: known,
        ...(tokens !== undefined && { tokens: fieldsOf(tokens) }),
        ...(typeof finish === "string" && { finish }),
        ...(error !== undefined && { error: fieldsOf(error) }),
      },
    ],
  ];
}
