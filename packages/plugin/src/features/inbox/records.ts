// Defines a stored prompt, its states and its table.
import * as z from "zod";
import type { StoredPrompt } from "../../feature-api/prompt.ts";
import {
  brandedText,
  integer,
  json,
  knownValue,
  longText,
  nullable,
  text,
} from "../../storage/column.ts";
import type { SessionId } from "../../storage/records.ts";
import { type RowOf, sessionRules, table } from "../../storage/table.ts";

/**
 * `waiting`: held here. `handed`: on its way to the host. `refused`: turned back, to be tried again. `saved`:
 * in the host's history, but no model call has had it yet. `promoted`: a boundary's history held it.
 * `recorded`: it asked for no reply. The remaining states are final: `answered`, `dropped` (by the user),
 * `undone` (taken back, with its message), `swallowed` (admitted again as another input).
 */
export const inputStates = [
  "waiting",
  "handed",
  "refused",
  "saved",
  "promoted",
  "recorded",
  "answered",
  "dropped",
  "undone",
  "swallowed",
] as const;
/** States in which nothing can happen to an input any more. */
export type SettledState = "recorded" | "answered" | "dropped" | "undone" | "swallowed";

const storedPromptSchema: z.ZodType<StoredPrompt> = z.object({
  form: z.enum(["given", "resolved"]),
  // Missing from prompts in the database of a development version.
  reply: z.enum(["wanted", "none"]).default("wanted"),
  parts: z.array(z.record(z.string(), z.unknown())),
  agent: z.string().nullable(),
  model: z.object({ providerID: z.string(), modelID: z.string() }).nullable(),
  variant: z.string().nullable(),
  system: z.string().nullable(),
  format: z.unknown(),
});

export const inputTable = table(
  "session_input",
  {
    sessionId: brandedText<SessionId>(),
    id: text,
    rank: integer,
    directory: text,
    /**
     * When the input joins: `steer` at the running work's next boundary, `queue` once that work has settled.
     */
    delivery: knownValue(["steer", "queue"]),
    state: knownValue(inputStates),
    /** The id of the message that the input is or will become; null until one is chosen. */
    messageId: nullable(text),
    /** The prompt's digest, which is equal for equal prompts. */
    digest: text,
    /** The beginning of the prompt's text. */
    preview: longText,
    partCount: integer,
    prompt: nullable(json(storedPromptSchema)),
    admittedAtMs: integer,
    promotedAtMs: nullable(integer),
    settledAtMs: nullable(integer),
  },
  {
    key: ["sessionId", "id"],
    ...sessionRules({ by: "rank, id" }),
    activityColumn: "admitted_at_ms",
    sql: {
      columns: {
        id: "PRIMARY KEY",
        rank: "CHECK (rank >= 1)",
        messageId: "UNIQUE CHECK ((message_id IS NULL) <= (state IN ('waiting', 'dropped')))",
        partCount: "CHECK (part_count >= 0)",
      },
      extras: `
CREATE INDEX session_input_by_state ON session_input (session_id, state, rank);
CREATE INDEX session_input_open ON session_input (directory, session_id)
  WHERE state IN ('waiting', 'handed', 'refused', 'saved', 'promoted');
CREATE TRIGGER session_input_is_promoted_once BEFORE UPDATE OF promoted_at_ms ON session_input
WHEN OLD.promoted_at_ms IS NOT NULL AND NEW.promoted_at_ms IS NOT OLD.promoted_at_ms BEGIN
  SELECT RAISE(ABORT, 'an input is promoted once');
END;`,
    },
  },
);

/** An admitted input, without its prompt. */
export const inputColumns = inputTable.pick(
  ...(["sessionId", "id", "rank", "delivery", "state", "messageId", "digest", "preview"] as const),
  ...(["admittedAtMs", "promotedAtMs"] as const),
);

export type InputRecord = RowOf<typeof inputColumns>;

export type Delivery = InputRecord["delivery"];

export interface NewInput extends Omit<InputRecord, "rank" | "promotedAtMs"> {
  readonly directory: string;
  readonly state: "waiting" | "handed";
  readonly prompt: StoredPrompt;
}

export type InputAdmission =
  | { readonly kind: "admitted"; readonly record: InputRecord }
  /** The same session, prompt and delivery already have this id, so the first admission stands. */
  | { readonly kind: "retry"; readonly record: InputRecord }
  /** The id belongs to another session, prompt or delivery, so nothing was stored. */
  | { readonly kind: "conflict"; readonly record: InputRecord };

/** The input that replaces one that the host considers answered. */
export interface Replacement {
  readonly messageId: string;
  readonly prompt: StoredPrompt;
  readonly admittedAtMs: number;
}
