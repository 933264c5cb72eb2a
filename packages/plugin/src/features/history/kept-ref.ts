// Finds the parts that a ref names in a session and that can be kept.
import { readHeading } from "../../history/folded-text.ts";
import { containsAll } from "../../ledger/after-result.ts";
import type { NextCall } from "../../ledger/boundary-view.ts";
import { type HostMessage, type HostPart, hasEnded, isFile, isText } from "../../ledger/message.ts";
import { deriveRef, type Ref } from "../../ledger/ref.ts";

/** Holds a part with its place. */
export interface PlacedPart {
  readonly part: HostPart;
  readonly message: HostMessage;
  /** `gone` means that something else is sent in the part's place, or nothing. */
  readonly state: "shown" | "gone";
}

type SentView = Pick<NextCall, "messages" | "projected">;

/**
 * For a part's ref it returns that part; for a segment's ref, the results in its messages. In the order of the
 * history.
 */
export function partsOfRef(ref: Ref, { messages, projected }: SentView): readonly PlacedPart[] {
  const range = ref.startsWith("h:") ? listSegmentMessages(ref, { messages, projected }) : messages;
  const isMeant = (part: HostPart) =>
    ref.startsWith("h:") ? hasEnded(part) : deriveRef("r", part.id) === ref;
  const found = range.flatMap((message) =>
    message.parts.flatMap((part) => (isMeant(part) && canBeKept(part) ? [{ part, message }] : [])),
  );
  return withStates(found, projected);
}

/** Finds parts by their ids, in the order of the history. */
export function partsWithIds(
  ids: ReadonlySet<string>,
  { messages, projected }: SentView,
): readonly PlacedPart[] {
  const found = messages.flatMap((message) =>
    message.parts.flatMap((part) => (ids.has(part.id) ? [{ part, message }] : [])),
  );
  return withStates(found, projected);
}

function canBeKept(part: HostPart): boolean {
  return hasEnded(part) || isText(part) || isFile(part);
}

/** Takes the segment's first message and as many messages as its heading states. */
function listSegmentMessages(ref: Ref, { messages, projected }: SentView): readonly HostMessage[] {
  const first = messages.findIndex(({ info }) => deriveRef("h", info.id) === ref);
  const heading = projected
    .flatMap(({ parts }) => parts.filter(isText))
    .flatMap(({ text }) => text.split("\n").flatMap((line) => readHeading(line) ?? []))
    .find((one) => one.ref === ref);
  return first < 0 || !heading ? [] : messages.slice(first, first + heading.messageCount);
}

function withStates(
  found: readonly Omit<PlacedPart, "state">[],
  projected: readonly HostMessage[],
): readonly PlacedPart[] {
  const wanted = new Set(found.map(({ part }) => part.id));
  const sent = new Map(
    projected.flatMap(({ parts }) =>
      parts.flatMap((part) => (wanted.has(part.id) ? [[part.id, part] as const] : [])),
    ),
  );
  return found.map(({ part, message }) => {
    const shown = sent.get(part.id);
    const isShown = shown !== undefined && containsAll(shown, part);
    return { part, message, state: isShown ? "shown" : "gone" };
  });
}
