// What OpenCode 2 has on its messages beside a request: when they were made, and what the provider counted.

import { BoundedMap } from "../context/bounded-map.ts";
import { type ComparedFields, toFields } from "../context/fields.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { V2Context, V2ContextEvent } from "./context.ts";

/** The request waits no longer. */
const ANSWER_MS = 500;

/** As the rows of the kernel have it. */
interface StoredFacts {
  readonly time: { readonly created: number; readonly completed?: number };
  /** Such as `user`, `synthetic`, `skill` or `shell`: to the model the user says them all. */
  readonly type?: string;
  /** Of an answer, as far as it has them. */
  readonly tokens?: ComparedFields;
  readonly finish?: string;
  readonly error?: ComparedFields;
}

export type StoredMessages = ReadonlyMap<string, StoredFacts>;

const NOTHING: StoredMessages = new Map();

/** Sessions whose messages are remembered. */
const MAX_SESSIONS = 64;

export class StoredReader {
  /** A host that is late once is asked no more: each request would wait for it. */
  #standing: "answers" | "late" = "answers";
  readonly #known = new BoundedMap<string, Map<string, StoredFacts>>(MAX_SESSIONS);

  constructor(private readonly host: Pick<V2Context["session"], "context">) {}

  /** What an event has of an answer: the host need not be asked for it. */
  note(sessionId: string, messageId: string, facts: StoredFacts): void {
    this.#known.get(sessionId)?.set(messageId, facts);
  }

  /** All messages of the request that have an id, or none: times of some alone would be a pause that never was. */
  async of({ sessionID, messages }: V2ContextEvent): Promise<StoredMessages> {
    const known = this.#known.get(sessionID) ?? NOTHING;
    if (isWhole(known, messages)) return known;
    if (!this.host.context || this.#standing === "late") return NOTHING;
    const asked = this.host.context({ sessionID }).catch(() => []);
    const listed = await withTimeout(ANSWER_MS, asked, () => "late" as const);
    if (listed === "late") {
      this.#standing = "late";
      return NOTHING;
    }
    const found = new Map(listed.flatMap(parseStoredFacts));
    this.#known.set(sessionID, found);
    return isWhole(found, messages) ? found : NOTHING;
  }
}

function isWhole(known: StoredMessages, messages: V2ContextEvent["messages"]): boolean {
  return messages.every(({ id }) => id === undefined || known.has(id));
}

function parseStoredFacts(message: unknown): readonly (readonly [string, StoredFacts])[] {
  const { id, time, type, tokens, finish, error } = toFields(message);
  const { created, completed } = toFields(time);
  if (typeof id !== "string" || typeof created !== "number") return [];
  const known = typeof completed === "number" ? { created, completed } : { created };
  return [
    [
      id,
      {
        time: known,
        ...(typeof type === "string" && { type }),
        ...(tokens !== undefined && { tokens: toFields(tokens) }),
        ...(typeof finish === "string" && { finish }),
        ...(error !== undefined && { error: toFields(error) }),
      },
    ],
  ];
}
