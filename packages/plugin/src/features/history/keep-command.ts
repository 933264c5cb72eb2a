// Implements /ctx-keep and the model's `keep`: a piece of the session stays in the request, or returns to it.
import type { ActionAnswer, CommandCall } from "../../feature-api/command.ts";
import type { KeepRef } from "../../feature-api/extension-point.ts";
import type { FeatureContext } from "../../feature-api/feature-context.ts";
import { readHeading } from "../../history/folded-text.ts";
import { collectKeptIds, KEEP_PROPOSAL, type KeepRecord } from "../../history/kept.ts";
import { measureHistory } from "../../history/measured-history.ts";
import { computeScale } from "../../history/scale.ts";
import type { HistorySettings } from "../../history/settings.ts";
import { renderCall } from "../../ledger/host-tools.ts";
import {
  type HostMessage,
  type HostPart,
  hasEnded,
  isFile,
  isText,
  isTool,
} from "../../ledger/message.ts";
import type { NextCall } from "../../ledger/policy.ts";
import { deriveRef, type Ref, readRef } from "../../ledger/ref.ts";
import { isSentUnchanged } from "../../ledger/revise.ts";
import { estimatePartTokens } from "../../ledger/tokens.ts";
import { formatCount, renderCount } from "../../status/wording.ts";
import type { SessionId } from "../../storage/records.ts";

// Finds the parts of a session that a ref names and that can be kept.

/** Holds a part with its message and state. */
interface PlacedPart {
  readonly part: HostPart;
  readonly message: HostMessage;
  /** `gone` means that something else, or nothing, is sent in place of the part. */
  readonly state: "shown" | "gone";
}

type SentView = Pick<NextCall, "messages" | "projected">;

/**
 * Finds, in the order of the history, the part that a part's ref names, or the results in the messages of a
 * segment.
 */
function findPartsByRef(ref: Ref, { messages, projected }: SentView): readonly PlacedPart[] {
  const range = ref.startsWith("h:") ? listSegmentMessages(ref, { messages, projected }) : messages;
  const matchesRef = (part: HostPart) =>
    ref.startsWith("h:") ? hasEnded(part) : deriveRef("r", part.id) === ref;
  const found = range.flatMap((message) =>
    message.parts.flatMap((part) =>
      matchesRef(part) && canBeKept(part) ? [{ part, message }] : [],
    ),
  );
  return addPartStates(found, projected);
}

/** Finds parts by their ids, in the order of the history. */
function findPartsByIds(
  ids: ReadonlySet<string>,
  { messages, projected }: SentView,
): readonly PlacedPart[] {
  const found = messages.flatMap((message) =>
    message.parts.flatMap((part) => (ids.has(part.id) ? [{ part, message }] : [])),
  );
  return addPartStates(found, projected);
}

function canBeKept(part: HostPart): boolean {
  return hasEnded(part) || isText(part) || isFile(part);
}

/** Lists the segment's first message and those after it, as many as the segment's heading states. */
function listSegmentMessages(ref: Ref, { messages, projected }: SentView): readonly HostMessage[] {
  const first = messages.findIndex(({ info }) => deriveRef("h", info.id) === ref);
  const heading = projected
    .flatMap(({ parts }) => parts.filter(isText))
    .flatMap(({ text }) => text.split("\n").flatMap((line) => readHeading(line) ?? []))
    .find((one) => one.ref === ref);
  return first < 0 || !heading ? [] : messages.slice(first, first + heading.messageCount);
}

function addPartStates(
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
    const isShown = shown !== undefined && isSentUnchanged(shown, part);
    return { part, message, state: isShown ? "shown" : "gone" };
  });
}

export interface KeepContext extends Pick<FeatureContext, "nextCall" | "propose"> {
  /** Records the kept parts for forks, in which the same parts have other ids. */
  readonly noted: (
    keeping: KeepRecord,
    sessionId: SessionId,
    messages: readonly HostMessage[],
  ) => void;
}

export interface KeepSettings extends Pick<HistorySettings, "directory" | "measure"> {
  /** The rules as they are written in the settings. */
  readonly rules: readonly string[];
}

type KeepCall = Pick<CommandCall, "sessionId" | "args">;

export async function proposeKeep(
  { nextCall, propose, noted }: KeepContext,
  settings: KeepSettings,
  { sessionId, args }: KeepCall,
): Promise<ActionAnswer> {
  const { hold, refs, unread } = readArgs(args);
  const next = await nextCall(sessionId);
  const createNoteAnswer = (text: string): ActionAnswer => ({ text, shownBy: "note" });
  if (unread.length > 0) return createNoteAnswer(USAGE);
  if (refs.length === 0)
    return createNoteAnswer(hold === "free" ? USAGE : renderKeptParts(next, settings));
  if (!next) return createNoteAnswer(refs.map(describeMissing).join(" "));
  const found = refs.map((ref) => ({ ref, parts: findPartsByRef(ref, next) }));
  const parts = dedupeParts(found.flatMap((one) => one.parts));
  const missing = found.flatMap(({ ref, parts: own }) =>
    own.length === 0 ? [describeMissing(ref)] : [],
  );
  const kept = collectKeptIds(next);
  const meant = parts.filter(({ part }) => hold === "kept" || kept.has(part.id));
  const isGone = meant.some(({ state }) => state === "gone");
  if (meant.length > 0) {
    const output: KeepRecord = { partIds: meant.map(({ part }) => part.id), hold };
    const urgency = hold === "kept" && isGone ? "command" : "waits";
    propose({ kind: KEEP_PROPOSAL, sessionId, urgency, output });
    noted(output, sessionId, next.messages);
  }
  const done =
    hold === "kept"
      ? describeKeptParts(meant, next, settings)
      : describeReleasedParts(parts, meant, settings);
  return createNoteAnswer([...missing, ...done].join("\n"));
}

/**
 * Creates the function that keeps a piece for the model. The model has just been shown the piece, so its
 * return to its place can wait for the next rewrite.
 */
export function createKeepRef({ nextCall, propose, noted }: KeepContext): KeepRef {
  return async (sessionId, ref) => {
    const next = await nextCall(sessionId);
    const parts = next ? findPartsByRef(ref, next) : [];
    if (!next || parts.length === 0)
      return "Not kept: only messages and results of this session can be.";
    const output: KeepRecord = { partIds: parts.map(({ part }) => part.id), hold: "kept" };
    propose({ kind: KEEP_PROPOSAL, sessionId, urgency: "waits", output });
    noted(output, sessionId, next.messages);
    return parts.some(({ state }) => state === "gone")
      ? "Kept: it is shown here, and returns to its place when older history is next rewritten."
      : "Kept: it stays in its place.";
  };
}

interface KeepArguments {
  readonly hold: KeepRecord["hold"];
  readonly refs: readonly Ref[];
  readonly unread: readonly string[];
}

const DROP_WORDS: ReadonlySet<string> = new Set(["--drop", "drop"]);

function readArgs(args: string): KeepArguments {
  const words = args
    .trim()
    .split(/[\s,]+/)
    .filter((word) => word !== "");
  const isDrop = DROP_WORDS.has(words[0] ?? "");
  const names = isDrop ? words.slice(1) : words;
  const refs = names.flatMap((name) => readRef(name) ?? []);
  const unread = names.filter((name) => readRef(name) === null);
  return { hold: isDrop ? "free" : "kept", refs, unread };
}

const USAGE =
  "Give `/ctx-keep` a ref such as r:k3f9ab to keep what it names, `--drop` and a ref to release it, or nothing to list what is kept. /ctx-history shows the refs of what is folded and dropped.";

function describeMissing(ref: Ref): string {
  return `${ref} is not the ref of anything that this session still has. /ctx-history shows the refs of what is folded and dropped.`;
}

function describeKeptParts(
  parts: readonly PlacedPart[],
  next: NextCall,
  settings: KeepSettings,
): readonly string[] {
  const gone = parts.filter(({ state }) => state === "gone");
  const shown = parts.filter(({ state }) => state === "shown");
  return [
    ...(gone.length > 0
      ? [
          `At your next message ${namePieces(gone, settings)} ${gone.length === 1 ? "comes" : "come"} back and ${gone.length === 1 ? "stays" : "stay"}. That call writes up to ${formatCount(countRewrittenTokens(gone, next, settings))} tokens again.`,
        ]
      : []),
    ...(shown.length > 0
      ? [
          `${capitalize(namePieces(shown, settings))} ${shown.length === 1 ? "stays" : "stay"} in place.`,
        ]
      : []),
    ...(parts.length > 0 ? ["`/ctx-keep --drop` and the ref releases it."] : []),
  ];
}

function describeReleasedParts(
  parts: readonly PlacedPart[],
  released: readonly PlacedPart[],
  settings: KeepSettings,
): readonly string[] {
  if (parts.length === 0) return [];
  if (released.length === 0) return [`${capitalize(namePieces(parts, settings))} was not kept.`];
  return [
    `${capitalize(namePieces(released, settings))} may be dropped again when history is next rewritten.`,
  ];
}

/** Describes a single piece by its words, and several by their number. */
function namePieces(parts: readonly PlacedPart[], settings: KeepSettings): string {
  const [first] = parts;
  return parts.length === 1 && first
    ? describePart(first, settings)
    : renderCount(parts.length, "piece");
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function describePart({ part, message }: PlacedPart, { directory }: KeepSettings): string {
  if (isTool(part)) return `the result of ${renderCall(part, directory)}`;
  return message.info.role === "user" ? "your prompt" : "the answer";
}

/**
 * Returns two counts, in the provider's tokens: everything from the first piece on, and the pieces
 * themselves.
 */
function countRewrittenTokens(
  parts: readonly PlacedPart[],
  next: NextCall,
  { measure }: KeepSettings,
): number {
  const indexById = new Map(next.messages.map(({ info }, index) => [info.id, index]));
  const from = Math.min(...parts.map(({ message }) => indexById.get(message.info.id) ?? 0));
  const sheet = measureHistory(next, measure);
  const after = sheet.rows.filter(({ last }) => last >= from);
  const tokens = after.reduce((sum, row) => sum + row.tokens, 0) + sumPartTokens(parts);
  return Math.round(computeScale(sheet) * tokens);
}

function sumPartTokens(parts: readonly PlacedPart[]): number {
  return parts.reduce((sum, { part }) => sum + estimatePartTokens(part), 0);
}

function dedupeParts(parts: readonly PlacedPart[]): readonly PlacedPart[] {
  return [...new Map(parts.map((one) => [one.part.id, one])).values()];
}

const NOTHING_KEPT_TEXT = "Nothing in this session is kept by ref.";

function renderKeptParts(next: NextCall | null, settings: KeepSettings): string {
  const kept = next ? findPartsByIds(collectKeptIds(next), next) : [];
  const lines = kept.map(
    (one) =>
      `- ${deriveRef("r", one.part.id)}: ${describePart(one, settings)}, about ${formatCount(estimatePartTokens(one.part))} tokens${one.state === "gone" ? ", back at the next rewrite" : ""}`,
  );
  const { rules } = settings;
  return [
    ...(lines.length === 0 ? [NOTHING_KEPT_TEXT] : ["Kept in this session:", ...lines]),
    ...(rules.length === 0 ? [] : [`By \`history.keep\`, results of: ${rules.join(", ")}.`]),
    USAGE,
  ].join("\n");
}
