// Plans the updates of one model call: whether they may use the provider's role, and how they are recognised.
import { isWrapped, splitUpdatesAtEnd } from "../../context/frames.ts";
import type { CallTarget } from "../../feature-api/feature-hooks.ts";
import {
  type HostMessage,
  type HostPart,
  hasEnded,
  isText,
  type MessageInfo,
  readSentResultText,
} from "../../ledger/message.ts";
import { buildSyntheticPartId } from "../../ledger/revise.ts";
import type { FormOwner } from "../../storage/form-store.ts";
import type { EntryRecord } from "../../storage/ledger-table.ts";
import type { SentUpdate } from "./body.ts";

// Decides which calls may use a provider's instruction role.

/** The API whose rules for instructions in the middle of a conversation apply. */
export type Family = "anthropic" | "openai";

export type LoweringMode = "wrapped" | "native" | "auto";

/**
 * Returns the family whose native instruction role the call may use; null if updates go as text. A provider
 * whose login has its own fetch is never touched; Gemini, Bedrock, Vertex and gateways have no such role, or
 * none that is known.
 */
export function resolveNativeFamily(mode: LoweringMode, to: CallTarget): Family | null {
  if (mode === "wrapped" || to.fetch === "own") return null;
  switch (to.npm) {
    case "@ai-sdk/anthropic":
      return takesClaudeRole(to.apiId) && isKnownEndpoint(mode, to, "anthropic")
        ? "anthropic"
        : null;
    case "@ai-sdk/openai":
      return takesOpenAiRole(to.apiId) && isKnownEndpoint(mode, to, "openai") ? "openai" : null;
    case "@ai-sdk/openai-compatible":
      // Many of these providers accept only one system message, at the beginning, so the role is used only on
      // request.
      return mode === "native" ? "openai" : null;
    default:
      return null;
  }
}

const CLAUDE_MODEL_PATTERN =
  /^claude-(fable|haiku|mythos|opus|sonnet)-(\d+)(?:[-.](\d{1,2}))?(?=$|[-.@:])/;

/** Returns true for Opus from 4.8 on, and for every family from 5 on. */
function takesClaudeRole(apiId: string): boolean {
  const found = CLAUDE_MODEL_PATTERN.exec(apiId);
  if (!found) return false;
  const [, name, major, minor] = found;
  return Number(major) >= 5 || (name === "opus" && Number(major) === 4 && Number(minor ?? 0) >= 8);
}

/** Returns false for the first reasoning models, which had no instructions at all. */
function takesOpenAiRole(apiId: string): boolean {
  return !/^o1-(?:mini|preview)/.test(apiId);
}

function isKnownEndpoint(mode: LoweringMode, to: CallTarget, family: Family): boolean {
  if (mode === "native") return true;
  if (to.baseUrl === null || to.baseUrl === "") return to.providerId === family;
  return URL.canParse(to.baseUrl) && new URL(to.baseUrl).hostname === `api.${family}.com`;
}

/** An update of a call. `fresh`: the call's own boundary has decided it, so no model has seen it yet. */
export interface PlannedUpdate extends SentUpdate {
  readonly age: "fresh" | "sent";
}

/** The updates that may be sent natively in the requests of one model call. */
export interface LoweringPlan {
  readonly owner: FormOwner;
  readonly family: Family;
  /** The model's name in requests. */
  readonly apiId: string;
  readonly updates: readonly PlannedUpdate[];
}

/**
 * Lists the updates of a history as it is sent, in its order, each with the place at which it will be found
 * again.
 */
export function planUpdates(
  messages: readonly HostMessage[],
  entries: readonly EntryRecord[],
  boundaryAtMs: number,
): readonly PlannedUpdate[] {
  const announcing = entries.filter(isAnnouncing);
  if (announcing.length === 0) return [];
  const { bySeq, byPlace } = indexAnnouncements(announcing);
  const counts = { text: new Map<string, number>(), result: new Map<string, number>() };
  return messages.flatMap(({ info, parts }) =>
    parts.flatMap((part) =>
      collectTexts(info, part).flatMap(({ place, text, isOurs }): readonly PlannedUpdate[] => {
        const nth = counts[place].get(text) ?? 0;
        counts[place].set(text, nth + 1);
        const entry =
          place === "text"
            ? bySeq.get(part.id)
            : isOurs
              ? byPlace.get(`${info.id} ${text}`)?.shift()
              : undefined;
        if (!entry) return [];
        const age = entry.decidedAtMs === boundaryAtMs ? "fresh" : "sent";
        return [{ seq: entry.seq, text, place, nth, age }];
      }),
    ),
  );
}

function isAnnouncing({ edit, announced }: EntryRecord): boolean {
  return edit?.verb === "insert" && announced.length > 0 && isWrapped(edit.text);
}

function indexAnnouncements(entries: readonly EntryRecord[]) {
  const byPlace = new Map<string, EntryRecord[]>();
  for (const entry of entries) {
    if (entry.edit?.verb !== "insert") continue;
    const place = `${entry.edit.after.messageId} ${entry.edit.text}`;
    byPlace.set(place, [...(byPlace.get(place) ?? []), entry]);
  }
  return {
    bySeq: new Map(entries.map((entry) => [buildSyntheticPartId(entry.seq), entry])),
    byPlace,
  };
}

interface PlacedText {
  readonly place: SentUpdate["place"];
  readonly text: string;
  /** True if the projection has put the text there. */
  readonly isOurs: boolean;
}

/** Finds the texts that read like an update in a part, in the form in which it is sent. */
function collectTexts({ role }: MessageInfo, part: HostPart): readonly PlacedText[] {
  if (role === "user") {
    if (!isText(part) || part.ignored === true || !isWrapped(part.text)) return [];
    return [{ place: "text", text: part.text, isOurs: true }];
  }
  if (!hasEnded(part) || part.metadata?.providerExecuted) return [];
  const { updates } = splitUpdatesAtEnd(readSentResultText(part));
  const own = part.added === undefined ? 0 : splitUpdatesAtEnd(part.added).updates.length;
  return updates.map((text, index) => {
    return { place: "result", text, isOurs: index >= updates.length - own };
  });
}
