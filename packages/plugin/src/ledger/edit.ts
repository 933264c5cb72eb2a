// Defines anchors, the five edits, where messages stand, and why an edit may take no effect.
import * as z from "zod";
import type { HostMessage } from "./message.ts";

/** A place in the host's history: a part or, if `partId` is null, a message as a whole. */
export interface Anchor {
  readonly messageId: string;
  readonly partId: string | null;
}

/** An anchor that is a part. */
interface PartAnchor {
  readonly messageId: string;
  readonly partId: string;
}

/** `kept` holds the restored part for good; `free` lets it be changed again. */
export type Hold = "kept" | "free";

/** A frozen, total change to what the host would send, holding its final text. */
export type Edit =
  /**
   * Inserts a text. After a user's part, the text becomes a further part of that message. After an
   * assistant's message, it is appended to the message's newest result; if there is no result, it becomes the
   * first part of the user's message that follows; if none follows, it becomes a separate user message. Does
   * nothing if the text already stands there.
   */
  | { readonly verb: "insert"; readonly after: Anchor; readonly text: string }
  /**
   * Replaces the text of a text or reasoning part, or the result of a tool part, which loses its attachments.
   */
  | { readonly verb: "replace"; readonly at: PartAnchor; readonly text: string }
  | { readonly verb: "omit"; readonly at: PartAnchor }
  /** Restores the part as the host has it: ends an earlier change of the part, or a fold over its message. */
  | { readonly verb: "restore"; readonly at: PartAnchor; readonly hold: Hold }
  /**
   * Folds the messages from `first` to `last`, both included and in the host's order, into one user text. If
   * `joins` is `prompt`, the text joins the user's message before it, whatever stands between them.
   */
  | {
      readonly verb: "fold";
      readonly first: string;
      readonly last: string;
      readonly text: string;
      readonly joins?: "prompt" | undefined;
    };

export type EditOf<Verb extends Edit["verb"]> = Extract<Edit, { verb: Verb }>;

/** An edit with its rank in the ledger: `seq` names the parts that the edit makes. */
export interface LedgerEdit<E extends Edit = Edit> {
  readonly seq: number;
  readonly edit: E;
}

const anchorSchema = z.object({ messageId: z.string(), partId: z.string().nullable() });
const partAnchorSchema = z.object({ messageId: z.string(), partId: z.string() });

/** Encodes an edit for storage, and decodes it. */
export const editSchema: z.ZodType<Edit> = z.discriminatedUnion("verb", [
  z.object({ verb: z.literal("insert"), after: anchorSchema, text: z.string().min(1) }),
  z.object({ verb: z.literal("replace"), at: partAnchorSchema, text: z.string().min(1) }),
  z.object({ verb: z.literal("omit"), at: partAnchorSchema }),
  z.object({ verb: z.literal("restore"), at: partAnchorSchema, hold: z.enum(["kept", "free"]) }),
  z.object({
    verb: z.literal("fold"),
    first: z.string(),
    last: z.string(),
    text: z.string().min(1),
    joins: z.literal("prompt").optional(),
  }),
]);

// Names the reasons why an edit takes no effect now.

/**
 * The reasons why an edit takes no effect now:
 * - `missing`: its place is not in the history (withdrawn by an undo, or lost in a compaction);
 * - `folded`: its place lies inside a fold that stands;
 * - `superseded`: a later edit of the same place has replaced it;
 * - `unfit`: what is there can't be changed that way (a call without its result, a reversed range);
 * - `opening`: it would leave the session's first message empty.
 */
export type DormancyReason = "missing" | "folded" | "superseded" | "unfit" | "opening";

/** Receives each dormant edit. */
export type ReportDormancy = (seq: number, why: DormancyReason) => void;

// Finds where messages stand in a history.

/**
 * If at most this many ids are still missing, they are compared one by one. A set lookup would take longer, as each
 * call brings new strings, which must be hashed first.
 */
const FEW_IDS = 2;

/**
 * Finds the index of each message by id; missing messages are left out. Searches from the end and stops when
 * all are found, as most are recent; the last few may be near the head, where a fold begins.
 */
export function findIndices(
  messageIds: ReadonlySet<string>,
  messages: readonly HostMessage[],
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  let missing = [...messageIds];
  for (let index = messages.length - 1; index >= 0 && missing.length > 0; index--) {
    const id = messages[index]?.info.id;
    const isMissing =
      id !== undefined &&
      (missing.length > FEW_IDS ? messageIds.has(id) && !found.has(id) : missing.includes(id));
    if (!isMissing) continue;
    found.set(id, index);
    if (messageIds.size - found.size <= FEW_IDS) missing = missing.filter((one) => !found.has(one));
  }
  return found;
}
