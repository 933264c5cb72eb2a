// Restores kept parts at a boundary as the host has them, and folds the work around them into separate
// records.
import { isCold } from "../ledger/boundary.ts";
import type { EditOf, Hold } from "../ledger/edit.ts";
import {
  createHistoryDraft,
  type Draft,
  type Entry,
  findActiveEntries,
  listEdits,
} from "../ledger/entry.ts";
import type { HostMessage } from "../ledger/message.ts";
import type { BoundaryView } from "../ledger/policy.ts";
import { replay } from "../ledger/replay.ts";
import { repeatFolds } from "./foldings.ts";
import { isKeptByRule, parseKeepRecord } from "./kept.ts";
import { isEndedCall } from "./results.ts";
import type { HistorySettings } from "./settings.ts";
import { type HistoryInput, surveyHistory } from "./survey.ts";
import type { IndexRange } from "./work.ts";

/** Returns the ids of the parts that a session keeps from the session that it was forked from. */
export type ReadInherited = (messages: readonly HostMessage[]) => readonly string[];

export const readNothingInherited: ReadInherited = () => [];

/** A boundary's view with the written segments and kept parts of its history. */
export type HistoryView = BoundaryView & Pick<HistoryInput, "written" | "kept">;

interface RestoredParts<Of> {
  readonly drafts: readonly Draft[];
  /** The view once the drafts are admitted, by which drops are decided. */
  readonly view: Of;
}

/** Drafts restored parts. With a warm cache the drafts wait, and nothing else changes. */
export function collectRestored(
  view: HistoryView,
  settings: HistorySettings,
  read: ReadInherited,
): RestoredParts<HistoryView> {
  const drafts = collectRestores(view, settings, read);
  if (drafts.length === 0 || !isCold(view.boundary)) return { drafts, view };
  const restored = addDrafts({ ...view, claims: selectStandingClaims(view, drafts) }, drafts);
  const survey = surveyHistory(restored, settings, 0);
  const again = findEndedStretches(drafts, view)
    .flatMap((stretch) => repeatFolds(survey, stretch))
    .map(createHistoryDraft);
  return { drafts: [...drafts, ...again], view: addDrafts(restored, again) };
}

/** Drafts a restore for each part once, according to the newest request for it. */
function collectRestores(
  view: HistoryView,
  settings: HistorySettings,
  read: ReadInherited,
): readonly Draft[] {
  const asked = new Map<string, { readonly hold: Hold; readonly proposal: number | null }>();
  if (isLikelyFork(view))
    for (const id of read(view.messages)) asked.set(id, { hold: "kept", proposal: null });
  for (const id of findPrunedKeptParts(view, settings))
    asked.set(id, { hold: "kept", proposal: null });
  for (const proposal of view.proposals) {
    const keeping = parseKeepRecord(proposal);
    for (const id of keeping?.partIds ?? [])
      asked.set(id, { hold: keeping?.hold ?? "free", proposal: proposal.id });
  }
  if (asked.size === 0) return [];
  const held = new Map(
    view.standing.flatMap(({ edit }) =>
      edit?.verb === "restore" ? [[edit.at.partId, edit.hold] as const] : [],
    ),
  );
  return view.messages.flatMap(({ info, parts }) =>
    parts.flatMap((part): readonly Draft[] => {
      const { hold, proposal } = asked.get(part.id) ?? { hold: null, proposal: null };
      if (hold === null || held.get(part.id) === hold) return [];
      if (hold === "free" && !held.has(part.id)) return [];
      const at = { messageId: info.id, partId: part.id };
      const bounded = view.boundedTexts.get(part.id);
      const edits = [
        { verb: "restore", at, hold } as const,
        ...(bounded === undefined ? [] : [{ verb: "replace", at, text: bounded } as const]),
      ];
      return edits.map((edit) => ({ ...createHistoryDraft(edit), proposal }));
    }),
  );
}

/** Returns true for a session with answers and nothing on record, which is usually a fork. */
function isLikelyFork({ standing, former, watermark, messages }: HistoryView): boolean {
  if (standing.length + former.length > 0 || watermark !== null) return false;
  return messages.some(({ info }) => info.role === "assistant");
}

/** Finds results that the host's prune would blank now and the settings keep. */
function findPrunedKeptParts(
  { messages, hostPrune, boundary }: HistoryView,
  settings: HistorySettings,
): readonly string[] {
  const { keep } = settings;
  if (keep === null || hostPrune === "off" || !isCold(boundary)) return [];
  return messages.flatMap((message) =>
    message.parts.flatMap((part) => {
      const isPruned =
        isEndedCall(part) &&
        part.state.status === "completed" &&
        part.state.time.compacted !== undefined;
      return isPruned && isKeptByRule(part, message, keep, settings) ? [part.id] : [];
    }),
  );
}

/** Drops claims on parts that are released, unless the part also showed an instruction. */
function selectStandingClaims({ claims, standing }: HistoryView, drafts: readonly Draft[]) {
  const released = new Set(
    drafts.flatMap(({ edit }) =>
      edit?.verb === "restore" && edit.hold === "free" ? [edit.at.partId] : [],
    ),
  );
  for (const { edit, partId } of standing) if (edit === null && partId) released.delete(partId);
  return new Set([...claims].filter((id) => !released.has(id)));
}

/** Finds the ranges of the folds that these parts end. */
function findEndedStretches(
  drafts: readonly Draft[],
  { standing, messages }: HistoryView,
): readonly IndexRange[] {
  const indexById = new Map(messages.map(({ info }, index) => [info.id, index]));
  const places = drafts.flatMap(({ anchor }) => indexById.get(anchor.messageId) ?? []);
  return standing.flatMap(({ edit }): readonly IndexRange[] => {
    if (edit?.verb !== "fold") return [];
    const stretch = findStretch(edit, indexById);
    return places.some((at) => stretch.first <= at && at <= stretch.last) ? [stretch] : [];
  });
}

function findStretch(
  { first, last }: EditOf<"fold">,
  indexById: ReadonlyMap<string, number>,
): IndexRange {
  return { first: indexById.get(first) ?? -1, last: indexById.get(last) ?? -1 };
}

/** Returns the view as it will be once these drafts are on record. */
function addDrafts(view: HistoryView, drafts: readonly Draft[]): HistoryView {
  if (drafts.length === 0) return view;
  const lastSeq = view.standing.reduce((most, { seq }) => Math.max(most, seq), 0);
  const fresh = drafts.map(
    ({ anchor, ...draft }, index): Entry => ({
      ...draft,
      ...anchor,
      origin: "",
      seq: lastSeq + 1 + index,
    }),
  );
  const { entries } = findActiveEntries([...view.standing, ...fresh], view.messages);
  return {
    ...view,
    standing: entries,
    projected: replay(listEdits(entries), view.messages),
  };
}
