// Reads facts that OpenCode 2 stores with its messages outside of a request: their times, and the provider's counts.
import { BoundedMap } from "../context/bounded-map.ts";
import { toFields, type UnknownFields } from "../context/fields.ts";
import { withTimeout } from "../sources/with-timeout.ts";
import type { V2Context, V2ContextEvent } from "./context.ts";

/** The longest time that a request waits for the host's answer. */
const ANSWER_TIMEOUT_MS = 500;

/** The stored facts in the form of the kernel's rows. */
interface StoredFacts {
  readonly time: { readonly created: number; readonly completed?: number };
  /** A type such as `user`, `synthetic`, `skill` or `shell`; to the model they are all the user's. */
  readonly type?: string;
  /** An answer's token counts, as far as there are any. */
  readonly tokens?: UnknownFields;
  readonly finish?: string;
  readonly error?: UnknownFields;
}

export type StoredMessages = ReadonlyMap<string, StoredFacts>;

const NO_MESSAGES: StoredMessages = new Map();

/** The most sessions whose messages are remembered. */
const MAX_SESSIONS = 64;

export class StoredReader {
  /**
   * Records whether the host answers in time: if it is late once, it is not asked again, as each request
   * would wait.
   */
  #standing: "answers" | "late" = "answers";
  readonly #known = new BoundedMap<string, Map<string, StoredFacts>>(MAX_SESSIONS);

  constructor(private readonly host: Pick<V2Context["session"], "context">) {}

  /** Records an answer's facts from an event, so that the host need not be asked. */
  note(sessionId: string, messageId: string, facts: StoredFacts): void {
    this.#known.get(sessionId)?.set(messageId, facts);
  }

  /**
   * Returns facts for all messages with an id, or for none: partial times would show a pause that never was.
   */
  async readFor({ sessionID, messages }: V2ContextEvent): Promise<StoredMessages> {
    const known = this.#known.get(sessionID) ?? NO_MESSAGES;
    if (isComplete(known, messages)) return known;
    if (!this.host.context || this.#standing === "late") return NO_MESSAGES;
    const asked = this.host.context({ sessionID }).catch(() => []);
    const listed = await withTimeout(ANSWER_TIMEOUT_MS, asked, () => "late" as const);
    if (listed === "late") {
      this.#standing = "late";
      return NO_MESSAGES;
    }
    const found = new Map(listed.flatMap(parseStoredFacts));
    this.#known.set(sessionID, found);
    return isComplete(found, messages) ? found : NO_MESSAGES;
  }
}

function isComplete(known: StoredMessages, messages: V2ContextEvent["messages"]): boolean {
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
