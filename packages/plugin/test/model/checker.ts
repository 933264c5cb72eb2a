import { PRUNED_RESULT } from "../../src/ledger/admit-prune.ts";
import { selectFailedCalls } from "../../src/ledger/bound-failures.ts";
import { type HostMessage, isTool } from "../../src/ledger/message.ts";
import { project } from "../../src/ledger/replay.ts";
import { classifyHead } from "../../src/session/history.ts";
import { wire } from "../ledger/wire.ts";
import { type Beliefs, beliefsFrom } from "./beliefs.ts";
import { type Call, findEpochSeq, stands } from "./call.ts";
import { unexplained } from "./divergence.ts";
import { EachCall } from "./each-call.ts";
import { fidelity } from "./fidelity.ts";
import { CACHE_TTL_MS, type Setting } from "./host-process.ts";
import type { Row } from "./rows.ts";
import type { StoredEdit, StoredEpoch, StoredState } from "./stored.ts";
import { type Block, isUpdate, saidIn } from "./wire.ts";

export type Invariant = `I${number}`;

export interface Violation {
  readonly invariant: Invariant;
  readonly what: string;
}

/** What is remembered of a session from call to call. */
interface PastCalls {
  readonly call: Call;
  /** The newest call that was not the host's own. */
  readonly sent: Call | null;
  readonly beliefs: Beliefs;
  /** Per model and agent, the newest call that sent a stored Baseline. */
  readonly lanes: ReadonlyMap<string, Call>;
  /** The same per model alone. */
  readonly models: ReadonlyMap<string, Call>;
  readonly sawOddFile: boolean;
  /** See `isUnheld`: by seq, epochs of which that is so for good; an undo may come back to one. */
  readonly unheld: ReadonlySet<number | null>;
  /** Every update that was ever sent. */
  readonly told: ReadonlySet<string>;
  /** The same, each with its place: a head that was lost may come back. */
  readonly places: ReadonlySet<string>;
}

/** Holds each call against DESIGN §12, from the outside: by the requests, the world and the disk. */
export class Checker {
  readonly violations: Violation[] = [];
  readonly #pasts = new Map<string, PastCalls>();
  /** Per session, the last message of each call without a row since the last one that has one. */
  readonly #unrecorded = new Map<string, ReadonlySet<string>>();
  readonly #eachCall = new EachCall();
  /** Per session, the calls of which no process knows, as a crash took their rows, or may have. */
  readonly #unknownUses = new Map<string, readonly Call[]>();
  /** Results that may be sent blanked, and how. */
  readonly #released = new Map<string, ReadonlyMap<string, string>>();

  constructor(private readonly setting: Setting) {}

  /**
   * I14, I28: a compaction is shown the history as the session has it, without its updates, and
   * nothing else of it is changed but what failed calls say.
   */
  compacting(sessionId: string, array: readonly Row[], projected: readonly HostMessage[]): void {
    const call = this.#pasts.get(sessionId)?.call;
    // What a crash took was decided all the same, and may stand.
    const isKnown = !this.#unrecorded.has(sessionId);
    if (wire(projected).some(isUpdateText)) {
      this.#broken("I14", "an update was sent to a compaction");
    }
    const edits = isKnown ? standingEdits(call, array) : null;
    if (edits === null) return;
    const kept = projected.filter((message) => array.some((row) => row === message)).length;
    if (edits.length === 0 && kept < array.length && !array.some(hasFailedCall)) {
      this.touched("a compaction's history");
    }
    const text = wire(projected).join("\n");
    for (const { edit } of edits) {
      if ("text" in edit && !text.includes(edit.text)) {
        this.#broken("I28", `a compaction was not shown what stands: ${edit.text}`);
      }
    }
  }

  touched(what: string): void {
    this.#broken("I14", `${what} was not sent as the host made it`);
  }

  sent(call: Call, stored: StoredState): void {
    const past = this.#pasts.get(call.sessionId) ?? null;
    const found = this.violations.length;
    this.#committed(call, stored);
    this.#opening(call, past);
    this.#release(call, past);
    this.#rewrite(call, past);
    this.#prefix(call, past);
    this.#divergence(call, past);
    this.#updates(call, past);
    this.#archive(call, past, stored);
    this.violations.push(...this.#eachCall.violations(call, stored));
    const beliefs = beliefsFrom(call.blocks.map(({ text }) => text));
    if (!call.live && !call.disturbed) {
      const isComparable = past && !this.#unrecorded.has(call.sessionId);
      const former = isComparable ? { call: past.call, beliefs: past.beliefs } : null;
      const isHeld = call.opened === null || !isUnheld(call, past);
      this.violations.push(...fidelity({ call, beliefs, former, isHeld }));
    }
    this.#afterFault(call, past, found);
    if (!call.live) this.#unrecorded.delete(call.sessionId);
    this.#pasts.set(call.sessionId, {
      ...{ call, beliefs, sent: call.live ? (past?.sent ?? null) : call },
      sawOddFile: sawOddFile(call, past),
      unheld: new Set([...(past?.unheld ?? []), ...lostWith(call, past)]),
      lanes: call.live
        ? (past?.lanes ?? new Map())
        : new Map(past?.lanes).set(callLane(call), call),
      models: call.live
        ? (past?.models ?? new Map())
        : new Map(past?.models).set(call.author.model, call),
      told: new Set([...(past?.told ?? []), ...call.updates]),
      places: new Set([...(past?.places ?? []), ...call.blocks.filter(isUpdate).map(place)]),
    });
  }

  /** I3: every text of ours is on disk when the request goes out. */
  #committed(call: Call, stored: StoredState): void {
    const texts = new Set(stored.texts(call.sessionId));
    for (const text of call.inserted) {
      if (!texts.has(text)) this.#broken("I3", `sent and not stored: ${text}`);
    }
    const isStored = call.epochs.some(({ baseline }) =>
      call.system.some((text) => text.includes(baseline)),
    );
    if (!call.live && !isStored) this.#broken("I3", "a Baseline was sent that is not stored");
  }

  /** A new epoch begins where DESIGN §5 says, and nowhere else. */
  #opening(call: Call, past: PastCalls | null): void {
    const standing = standingEpoch(call, past);
    // Of a call whose row a crash took, nobody knows with which model it was, nor, where the head of
    // the history is lost, in which epoch.
    const isHidden = this.setting.onModelSwitch === "fold" || call.head.kind === "broken";
    const isUnsure = isHidden && this.#unrecorded.has(call.sessionId);
    const isDue =
      standing === null ||
      (call.head.kind === "compacted" && !hasBegun(call, call.head.summaryId)) ||
      standing.directory !== callDirectory(call) ||
      (this.setting.onModelSwitch === "fold" &&
        past?.sent != null &&
        past.sent.author.model !== call.author.model) ||
      (call.opened?.cause === "folded" && rewritten(call, past?.call).some(isFold)) ||
      // What was sent for an epoch that could not be stored is sent again, whatever had begun it.
      (call.opened?.cause === "folded" && past?.call.disturbed === true);
    const compacted = call.head.kind === "compacted" ? "I11" : "I1";
    if (call.opened && !isDue && !isUnsure) this.#broken("I1", "an epoch began without a cause");
    if (!call.opened && isDue && !isUnsure && !call.disturbed && !call.live) {
      this.#broken(compacted, "an epoch that was due did not begin");
    }
    if (call.live && !call.disturbed) this.#broken("I1", "the host's live string was sent");
  }

  /** Where the cache is cold the host's prune is let through. */
  #release(call: Call, past: PastCalls | null): void {
    const idleMs = idleBefore(call, past);
    const isCold = idleMs > CACHE_TTL_MS || isGivenUp(call) || this.#isSwitched(call, past);
    if (!isCold && !this.#unrecorded.has(call.sessionId)) return;
    const known = this.#released.get(call.sessionId) ?? [];
    this.#released.set(call.sessionId, new Map([...known, ...pruned(call)]));
  }

  /** I22: what was sent is rewritten only where its cache is dead, or knowingly given up. */
  #rewrite(call: Call, past: PastCalls | null): void {
    const idleMs = idleBefore(call, past);
    const isFree = isGivenUp(call) || idleMs > CACHE_TTL_MS || this.#isSwitched(call, past);
    // Of calls without a row nobody knows when they went out, nor what was decided for them.
    if (isFree || call.opened || this.#unrecorded.has(call.sessionId)) return;
    // What a call of the host's own has sent, no process of ours knows; nor is it of this epoch what
    // another one has sent, whose compaction an undo took back.
    const isSame = past?.sent && findEpochSeq(past.sent) === findEpochSeq(call);
    const sent = new Set(isSame ? past?.sent?.array.map(({ info }) => info.id) : []);
    const warm = rewritten(call, past?.call).filter(({ edit, origin }) => {
      if (!ours.has(origin)) return false;
      return sent.has(edit.verb === "fold" ? edit.first : edit.at.messageId);
    });
    if (warm.length > 0) this.#broken("I22", "sent history was rewritten where its cache was warm");
  }

  /** I1: what this model was sent before stands at the front, as far as its messages still stand. */
  #prefix(call: Call, past: PastCalls | null): void {
    const before = past?.lanes.get(callLane(call));
    if (!before || call.live || findEpochSeq(before) !== findEpochSeq(call)) return;
    if (isUnheld(call, past)) return;
    const ids = new Set(call.array.map(({ info }) => info.id));
    const stands = ({ kind, owner, text }: Block) => {
      if (kind === "plugin" || (owner !== null && !ids.has(owner))) return false;
      return (
        kind !== "ours" || !isRecord(before.edits, text) || foldStands(before.edits, text, ids)
      );
    };
    const end = before.blocks.findIndex((block) => !stands(block));
    const kept = beforeRewrite(end < 0 ? before.blocks : before.blocks.slice(0, end), call, before);
    const released = this.#released.get(call.sessionId);
    const after = call.blocks.filter(({ kind }) => kind !== "plugin");
    const at = kept.findIndex((block, index) => {
      const now = after[index]?.text;
      return now !== block.text && now !== released?.get(block.text);
    });
    if (at >= 0) {
      const now = after[at]?.text ?? "nothing";
      this.#broken("I1", `block ${at} changed from ${kept[at]?.text} to ${now}`);
    }
  }

  /** I1: where the request differs from the one before, something on record lies at that very place. */
  #divergence(call: Call, past: PastCalls | null): void {
    const before = past?.models.get(call.author.model);
    if (!before || call.live || isUnheld(call, past) || this.#unrecorded.has(call.sessionId))
      return;
    const what = unexplained(before, call);
    if (what !== null) this.#broken("I1", `a divergence that nothing explains: ${what}`);
  }

  /** I4, I5, I11: each update once, in its place, and only in its epoch. */
  #updates(call: Call, past: PastCalls | null): void {
    const now = call.blocks.filter((block) => block.kind === "ours" && isUpdate(block));
    if (call.opened && now.length > 0) this.#broken("I11", "an earlier update in a new epoch");
    const before = past?.call;
    const goesOn =
      before && !before.live && !call.live && findEpochSeq(before) === findEpochSeq(call);
    if (!goesOn) return;
    const ids = new Set(call.array.map(({ info }) => info.id));
    const expected = before.blocks.filter(
      (block) =>
        block.kind === "ours" && isUpdate(block) && block.owner !== null && ids.has(block.owner),
    );
    const places = now.map(place);
    if (new Set(places).size < places.length) this.#broken("I4", "an update stands there twice");
    const wanted = new Set(expected.map(place));
    const found = places.filter((one) => wanted.has(one));
    for (const [index, block] of expected.entries()) {
      if (place(block) !== found[index]) this.#broken("I4", `an update is gone: ${block.text}`);
    }
    const last = call.blocks.findLastIndex(({ kind }) => kind !== "ours");
    const known = past.places;
    const news = now.filter((block) => !known.has(place(block)));
    const atEnd = news.filter((block) => call.blocks.indexOf(block) > last);
    if (atEnd.length > 1) this.#broken("I4", "two updates at one boundary");
    if (atEnd.length > 0 && !sawOddFile(call, past) && isKnown(call.blocks, atEnd)) {
      this.#broken("I4", `told again what is told already: ${atEnd[0]?.text}`);
    }
    // A crash may have come between an update and its call.
    const ends = this.#unrecorded.get(call.sessionId);
    for (const block of news) {
      if (atEnd.includes(block) || (block.owner !== null && ends?.has(block.owner))) continue;
      this.#broken("I5", `an update precedes what it follows on: ${block.text}`);
    }
  }

  /** I11: what was told stays in the ledger, whatever the projection shows. */
  #archive(call: Call, past: PastCalls | null, stored: StoredState): void {
    const texts = new Set(stored.texts(call.sessionId));
    for (const text of past?.told ?? []) {
      if (!texts.has(text)) this.#broken("I11", `gone from the ledger: ${text}`);
    }
  }

  /** A boundary whose call has no row: it may not have gone out, and no process may know of it. */
  unrecorded(sessionId: string, lastId: string): void {
    this.#unrecorded.set(sessionId, new Set([...(this.#unrecorded.get(sessionId) ?? []), lastId]));
    this.#unknownUses.set(sessionId, [
      ...(this.#unknownUses.get(sessionId) ?? []),
      ...(this.#pasts.get(sessionId)?.models.values() ?? []),
    ]);
  }

  /** Another model made the newest call, and this call's has nothing of the session in its cache. */
  #isSwitched(call: Call, past: PastCalls | null): boolean {
    const { model } = call.author;
    if (!past?.sent || past.sent.author.model === model) return false;
    const own = past.models.get(model);
    const unknown = this.#unknownUses.get(call.sessionId) ?? [];
    return own === undefined || unknown.includes(own) || call.nowMs - own.nowMs > CACHE_TTL_MS;
  }

  #broken(invariant: Invariant, what: string): void {
    this.violations.push({ invariant, what });
  }

  /** I7: after a crash or an error the request is as whole as ever. */
  #afterFault(call: Call, past: PastCalls | null, found: number): void {
    const isAfter = this.#unrecorded.has(call.sessionId) || past?.call.disturbed;
    if (!isAfter && !call.disturbed) return;
    const torn = this.violations.slice(found).filter(({ invariant }) => invariant !== "I14");
    for (const { invariant, what } of torn) this.#broken("I7", `${invariant}: ${what}`);
  }
}

/** Since the newest call of ours: what the host sent by itself, with its live string, keeps no cache of ours. */
function idleBefore(call: Call, past: PastCalls | null): number {
  const last = past?.call.live ? past.sent : past?.call;
  return call.nowMs - (last?.nowMs ?? call.nowMs);
}

/**
 * What the host alone has sent (reminders, instructions in results) is recorded one call later where
 * the storage failed. Where it fails again, or the process ends before, a reminder is not held; an
 * instruction is found again in its result, unless a compaction has taken that too.
 */
function isUnheld(call: Call, past: PastCalls | null): boolean {
  if (!past) return false;
  // A new epoch begins with what the former one held.
  const epochs = [findEpochSeq(call), ...(call.opened === null ? [] : [findEpochSeq(past.call)])];
  return lostWith(call, past).length > 0 || epochs.some((seq) => past.unheld.has(seq));
}

/** The epoch that has lost with this call what the one before could not store; none, as a rule. */
function lostWith(call: Call, past: PastCalls | null): readonly (number | null)[] {
  if (!past) return [];
  const { disturbed, instanceId } = past.call;
  const isLost = disturbed && (call.disturbed || call.instanceId !== instanceId);
  return isLost ? [findEpochSeq(past.call) ?? findEpochSeq(call)] : [];
}

/** Whether a model believes the same without these blocks. */
function isKnown(blocks: readonly Block[], news: readonly Block[]): boolean {
  const show = (some: readonly Block[]) => {
    const { instructions, ...others } = beliefsFrom(some.map(({ text }) => text));
    return JSON.stringify([...instructions, others]);
  };
  return show(blocks) === show(blocks.filter((block) => !news.includes(block)));
}

/**
 * An empty file is shown by no Baseline. One that can't be read as an epoch begins keeps the loader
 * from knowing where the host's block has its headings: the block is told anew when it can.
 */
function sawOddFile({ atBoundary, atSend, opened }: Call, past: PastCalls | null): boolean {
  const isOdd = atBoundary.hasEmptyFile || atSend.hasEmptyFile;
  return past?.sawOddFile || isOdd || (opened !== null && atBoundary.ambient === null);
}

function place({ owner, text }: Block): string {
  return `${owner} ${text}`;
}

/** Whether the provider's cache is given up knowingly. */
function isGivenUp({ isFull, isWorth, commanded }: Call): boolean {
  return isFull || isWorth || commanded;
}

function callLane({ author }: Call): string {
  return `${author.model} ${author.agent}`;
}

function callDirectory(call: Call): string {
  return call.atBoundary.directory;
}

function hasBegun(call: Call, summaryId: string): boolean {
  const before = call.opened ? call.epochs.slice(0, -1) : call.epochs;
  return before.some(({ startMessageId }) => startMessageId === summaryId);
}

/** The newest epoch before this call whose start stands; a failed compaction changes nothing. */
function standingEpoch(call: Call, past: PastCalls | null): StoredEpoch | null {
  const before = call.opened ? call.epochs.slice(0, -1) : call.epochs;
  if (call.head.kind === "broken" && past) {
    // A call of the host's own is in no epoch, and ends none.
    const former = past.call.live ? past.sent : past.call;
    const last = former && before.find(({ seq }) => seq === findEpochSeq(former));
    if (last) return last;
  }
  return before.findLast((epoch) => stands(epoch, call)) ?? null;
}

/** What a result may turn into when the host's prune is let through, by its block. */
function pruned(call: Call): ReadonlyMap<string, string> {
  const results = new Map<string, string>();
  for (const { parts } of call.array) {
    for (const part of parts) {
      if (!isTool(part) || part.state.status !== "completed") continue;
      if (part.state.time.compacted === undefined) continue;
      const head = `result: ${part.callID} `;
      results.set(head + part.state.output, head + PRUNED_RESULT);
    }
  }
  return results;
}

const ours: ReadonlySet<string> = new Set(["model-history", "take-proposals"]);

function isFold({ edit }: StoredEdit): boolean {
  return edit.verb === "fold";
}

/** The session's own edits that are on record since a former call was sent. */
function rewritten(call: Call, former: Call | undefined): readonly StoredEdit[] {
  const known = former?.edits.at(-1)?.seq ?? 0;
  return call.edits.filter(({ seq }) => seq > known);
}

/** What was sent stays as it was up to the first message that is rewritten now. */
function beforeRewrite(blocks: readonly Block[], call: Call, former: Call): readonly Block[] {
  const touched = rewritten(call, former).filter(({ origin }) => ours.has(origin));
  const ids = new Set(
    touched.map(({ edit }) => (edit.verb === "fold" ? edit.first : edit.at.messageId)),
  );
  if (ids.size === 0) return blocks;
  const at = call.array.findIndex(({ info }) => ids.has(info.id));
  const after = new Set(call.array.slice(at).map(({ info }) => info.id));
  // A record of messages from there on stands before them: another one may have taken its place.
  const records = former.edits.filter(({ edit }) => edit.verb === "fold" && after.has(edit.last));
  const end = blocks.findIndex(
    ({ kind, owner, text }) =>
      (owner !== null && after.has(owner)) || (kind === "ours" && isRecord(records, text)),
  );
  return end < 0 ? blocks : blocks.slice(0, end);
}

/**
 * The epoch that a history is in which has no call of its own yet: an undo since the newest call may have
 * gone back to a former one. Where a compaction has just taken the head, it is that of the newest call.
 */
function epochAt(call: Call, array: readonly Row[]): number | null {
  const head = classifyHead(array);
  const isNew =
    head.kind === "compacted" &&
    !call.epochs.some(({ startMessageId }) => startMessageId === head.summaryId);
  if (head.kind === "broken" || isNew) return findEpochSeq(call);
  return call.epochs.findLast((epoch) => stands(epoch, { array }))?.seq ?? null;
}

/** Those that show in this history, of the epoch that it is in; null: a fault leaves that open. */
function standingEdits(
  call: Call | undefined,
  array: readonly Row[],
): readonly StoredEdit[] | null {
  if (!call) return [];
  if (call.live || call.disturbed) return null;
  const epoch = epochAt(call, array);
  const edits = call.edits.filter(({ epochSeq, origin }) => epochSeq === epoch && ours.has(origin));
  const { dormant } = project(edits, array);
  return edits.filter(({ seq }) => !dormant.has(seq));
}

/** A fold at the head of the history stands as long as both of its ends do. */
/** Whether the text is a fold's; it stands in a message of the user's, beside it. */
function isRecord(edits: readonly StoredEdit[], text: string): boolean {
  return edits.some(({ edit }) => edit.verb === "fold" && text === `user: ${edit.text}`);
}

function foldStands(edits: readonly StoredEdit[], text: string, ids: ReadonlySet<string>): boolean {
  return edits.some(
    ({ edit }) =>
      edit.verb === "fold" &&
      text === `user: ${edit.text}` &&
      ids.has(edit.first) &&
      ids.has(edit.last),
  );
}

function isUpdateText(text: string): boolean {
  return saidIn(text).startsWith("<system-update>");
}

function hasFailedCall({ parts }: HostMessage): boolean {
  return selectFailedCalls(parts).length > 0;
}
