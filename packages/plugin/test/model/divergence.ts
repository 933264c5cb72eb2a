// Where a request first differs from what its model was sent before, and what explains that very place.
import { isTool } from "../../src/ledger/message.ts";
import { type Call, findEpochSeq } from "./call.ts";
import type { StoredEdit } from "./stored.ts";
import type { Block } from "./wire.ts";

/**
 * What is wrong with the first place where two calls of one session and model differ: nothing that is on
 * record, and nothing that the host did, lies there. Null where they don't differ, or where it is explained.
 */
export function unexplained(former: Call, call: Call): string | null {
  return ofSystem(former, call) ?? ofHistory(former, call);
}

/** An agent has a prompt of its own, and an epoch its Baseline behind that. */
function ofSystem(former: Call, call: Call): string | null {
  if (former.author.agent !== call.author.agent) return null;
  const [before, now] = [former, call].map(joinSystem);
  if (findEpochSeq(former) === findEpochSeq(call)) {
    return before === now ? null : "the system string changed within an epoch";
  }
  return hostPrompt(former) === hostPrompt(call) ? null : "the prompt before the Baseline changed";
}

function ofHistory(former: Call, call: Call): string | null {
  const [before, now] = [historyBlocks(former), historyBlocks(call)];
  const at = before.findIndex(({ text }, index) => text !== now[index]?.text);
  const block = before[at];
  if (!block) return null;
  const place = { block, instead: now[at] ?? null };
  if (isHosts(place.block, former, call) || isRecorded(place.block, former, call)) return null;
  if (findEpochSeq(former) !== findEpochSeq(call) && isOfEpoch(place, former, call)) return null;
  const recorded = since(former, call).map(({ edit }) => JSON.stringify(edit));
  const places = recorded.length === 0 ? "nothing" : recorded.join(", ");
  return `block ${at} of the history, ${block.text}, became ${place.instead?.text ?? "nothing"}; recorded since: ${places}`;
}

/** An undo, a compaction or an undo of one: from the first message on that the host has no more there. */
function isHosts(block: Block, former: Call, call: Call): boolean {
  const at = former.array.findIndex(({ info }, index) => info.id !== call.array[index]?.info.id);
  if (at < 0) return false;
  const changed = new Set(former.array.slice(at).map(({ info }) => info.id));
  return listOwners(block, former).some((id) => changed.has(id));
}

/** Whether an edit that is on record since then changes this block. */
function isRecorded(block: Block, former: Call, call: Call): boolean {
  return since(former, call).some((one) => changes(one, block, former));
}

function changes({ edit }: StoredEdit, block: Block, { array }: Call): boolean {
  if (edit.verb !== "fold") return block.part === edit.at.partId;
  const ids = array.map(({ info }) => info.id);
  // The range may end with messages that came after that call.
  const last = ids.indexOf(edit.last);
  const range = ids.slice(ids.indexOf(edit.first), last < 0 ? ids.length : last + 1);
  return block.owner !== null && range.includes(block.owner);
}

/** What an epoch decides for itself: its updates, its edits, and which of the host's prunes it shows. */
function isOfEpoch(
  { block, instead }: { readonly block: Block; readonly instead: Block | null },
  former: Call,
  call: Call,
): boolean {
  if (block.kind === "ours" || instead?.kind === "ours" || isInMemory(block, call)) return true;
  const edits = [...former.edits, ...call.edits];
  return edits.some((one) => changes(one, block, former)) || isPruned(block, call);
}

/** What the host had added for that call alone. */
function isInMemory({ part }: Block, { array }: Call): boolean {
  return !array.some(({ parts }) => parts.some(({ id }) => id === part));
}

function isPruned({ part }: Block, { array }: Call): boolean {
  return array.some(({ parts }) =>
    parts.some(
      (one) =>
        one.id === part &&
        isTool(one) &&
        one.state.status === "completed" &&
        one.state.time.compacted !== undefined,
    ),
  );
}

/** A fold is of all the messages that it covers; any other block, of one. */
function listOwners({ kind, owner, text }: Block, { edits, array }: Call): readonly string[] {
  const ids = array.map(({ info }) => info.id);
  const covered = edits.flatMap(({ edit }) =>
    kind === "ours" && edit.verb === "fold" && text === `user: ${edit.text}`
      ? ids.slice(ids.indexOf(edit.first), ids.indexOf(edit.last) + 1)
      : [],
  );
  if (covered.length > 0) return covered;
  return owner === null ? [] : [owner];
}

function since(former: Call, call: Call): readonly StoredEdit[] {
  const known = new Set(former.edits.map(({ seq }) => seq));
  return call.edits.filter(({ seq }) => !known.has(seq));
}

function historyBlocks({ blocks }: Call): readonly Block[] {
  return blocks.filter(({ kind }) => kind === "host" || kind === "ours");
}

function joinSystem({ blocks }: Call): string {
  return blocks.flatMap(({ kind, text }) => (kind === "system" ? [text] : [])).join("\n");
}

function hostPrompt(call: Call): string {
  const epoch = call.epochs.find(({ seq }) => seq === findEpochSeq(call));
  return epoch ? (joinSystem(call).split(epoch.baseline)[0] ?? "") : "";
}
