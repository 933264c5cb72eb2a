// Merges two copies of a project's items. Pure: the order of arrival doesn't change the result.
import { type MemoryId, pickStrongestSource } from "../memory/record.ts";
import { deriveFormerId } from "../memory/sqlite-changes.ts";
import { digestItem, type Item, type SharedMemory, type SharedNote } from "./item.ts";

export type ItemRows = ReadonlyMap<string, Item>;

/** Names rows on which the result of the merge may depend. */
export interface Lookup {
  readonly ids: readonly string[];
  /** The digests of the active memories to look up. */
  readonly digests: readonly string[];
  /** The ids of items; the memories that they supersede are looked up. */
  readonly successors: readonly string[];
}

export interface MergeResult {
  /** The rows that were found, as they are before the merge. */
  readonly known: ItemRows;
  /** The rows that were found and the incoming items, as they are after the merge. */
  readonly merged: ItemRows;
}

/**
 * Merges incoming items into existing ones, which the caller reads on demand: each step asks for rows, and
 * receives those that exist.
 */
export function* mergeStepwise(
  incoming: readonly Item[],
): Generator<Lookup, MergeResult, readonly Item[]> {
  const known = new Map<string, Item>();
  const asked = {
    ids: new Set<string>(),
    digests: new Set<string>(),
    successors: new Set<string>(),
  };
  for (;;) {
    const merged = mergeAllItems(known, incoming);
    const wanted = createLookup(merged);
    const lookup = {
      ids: takeUnrequested(wanted.ids, asked.ids),
      digests: takeUnrequested(wanted.digests, asked.digests),
      successors: takeUnrequested(wanted.successors, asked.successors),
    };
    if (Object.values(lookup).every((part) => part.length === 0)) return { known, merged };
    for (const item of yield lookup) known.set(item.id, item);
  }
}

/** Merges incoming items into a copy of the known ones. */
export function mergeAllItems(known: ItemRows, incoming: Iterable<Item>): Map<string, Item> {
  const merged = new Map(known);
  for (const item of incoming) mergeItemInto(merged, item);
  repairItems(merged);
  return merged;
}

function createLookup(items: ItemRows): Lookup {
  const all = [...items.values()];
  const memories = all.filter(isMemory);
  return {
    ids: all.flatMap((item) => [item.id, ...listSuccessors(item)]),
    digests: memories.filter(({ state }) => state.kind === "active").map(digestItem),
    successors: all.filter(({ kind }) => kind === "gone").map(({ id }) => id),
  };
}

function takeUnrequested(wanted: readonly string[], asked: Set<string>): readonly string[] {
  const fresh = [...new Set(wanted)].filter((one) => !asked.has(one));
  for (const one of fresh) asked.add(one);
  return fresh;
}

/** Merges one item in; a wording that gives way is kept as a former wording. */
function mergeItemInto(items: Map<string, Item>, item: Item): void {
  const present = items.get(item.id);
  const winner = present === undefined ? item : mergeItems(present, item);
  items.set(item.id, winner);
  if (winner.kind !== "memory") return;
  for (const one of [present, item]) {
    if (one?.kind === "memory" && one.text !== winner.text) mergeItemInto(items, toSuperseded(one));
  }
}

/** The result doesn't depend on the order, and an item merged with itself stays the same. */
function mergeItems(one: Item, other: Item): Item {
  if (one.kind === "gone" || other.kind === "gone") return mergeDeleted(one, other);
  if (one.kind === "memory" && other.kind === "memory") return joinMemories(one, other);
  if (one.kind === "note" && other.kind === "note") return joinNotes(one, other);
  // A note and a memory never get the same id by chance.
  return one.kind === "memory" ? one : other;
}

function mergeDeleted(one: Item, other: Item): Item {
  const [gone] = [one, other]
    .filter(({ kind }) => kind === "gone")
    .toSorted((left, right) => compareValues(left.member ?? "", right.member ?? ""));
  return gone ?? one;
}

/** The newer edit wins; the earliest writing time and the latest times of checks and uses are kept. */
function joinMemories(one: SharedMemory, other: SharedMemory): SharedMemory {
  const winner = compareMemories(one, other) >= 0 ? one : other;
  return {
    ...winner,
    writtenAtMs: Math.min(one.writtenAtMs, other.writtenAtMs),
    checkedAtMs: Math.max(one.checkedAtMs, other.checkedAtMs),
    usedAtMs: pickLaterTime(one.usedAtMs, other.usedAtMs),
  };
}

/** The only change to a note is its completion; the earliest completion wins. */
function joinNotes(one: SharedNote, other: SharedNote): SharedNote {
  if (one.doneAtMs === null) return other;
  if (other.doneAtMs === null) return one;
  return one.doneAtMs <= other.doneAtMs ? one : other;
}

/** Orders edits totally, so that of two edits at the same time every machine picks the same one. */
function compareMemories(one: SharedMemory, other: SharedMemory): number {
  const [left, right] = [rankVersion(one), rankVersion(other)];
  for (const [at, value] of left.entries()) {
    const difference = compareValues(value, right[at] ?? "");
    if (difference !== 0) return difference;
  }
  return 0;
}

const STATE_RANKS = { active: 0, archived: 1, candidate: 2, superseded: 3 } as const;

function rankVersion(memory: SharedMemory): readonly (string | number)[] {
  const { state, importance, permanence, text, category, source, by, member } = memory;
  return [
    memory.changedAtMs,
    importance,
    permanence === "permanent" ? 1 : 0,
    text,
    category,
    source,
    by,
    member ?? "",
    // The state comes last, so that a former wording, which has no state of its own, takes the same place in
    // the order.
    STATE_RANKS[state.kind],
    state.kind === "superseded" ? state.by : "",
  ];
}

function compareValues(one: string | number, other: string | number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function pickLaterTime(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

function toSuperseded(memory: SharedMemory): SharedMemory {
  const state = { kind: "superseded", by: memory.id } as const;
  return { ...memory, id: deriveFormerId(memory.id, memory.text), state };
}

function isMemory(item: Item): item is SharedMemory {
  return item.kind === "memory";
}

function listSuccessors(item: Item): readonly MemoryId[] {
  return item.kind === "memory" && item.state.kind === "superseded" ? [item.state.by] : [];
}

/** Restores the rules between items. Each step moves an item up in the order, never back. */
function repairItems(items: Map<string, Item>): void {
  for (;;) {
    const changes = [...findOrphans(items), ...findDuplicates(items), ...findCycles(items)];
    if (changes.length === 0) return;
    for (const change of changes) items.set(change.id, change);
  }
}

/**
 * Deletes the former wordings of a deleted memory. A memory that was merged into it says something of its
 * own, and becomes active again.
 */
function* findOrphans(items: ItemRows): Generator<Item> {
  for (const item of items.values()) {
    if (!isMemory(item) || item.state.kind !== "superseded") continue;
    const successor = items.get(item.state.by);
    if (successor?.kind !== "gone") continue;
    const { id, project } = item;
    const isFormer = id === deriveFormerId(successor.id, item.text);
    if (isFormer) yield { kind: "gone", id, project, member: successor.member };
    else yield { ...item, state: { kind: "active" }, changedAtMs: item.changedAtMs + 1 };
  }
}

/** Of several active memories that say the same thing, the oldest stands for all. */
function* findDuplicates(items: ItemRows): Generator<Item> {
  const groups = new Map<string, SharedMemory[]>();
  for (const item of items.values()) {
    if (!isMemory(item) || item.state.kind !== "active") continue;
    const key = `${item.project} ${digestItem(item)}`;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  for (const group of groups.values()) {
    const [first, ...others] = group.toSorted(compareAge);
    if (first === undefined || others.length === 0) continue;
    const isPermanent = group.some(({ permanence }) => permanence === "permanent");
    yield {
      ...first,
      source: pickStrongestSource(group.map(({ source }) => source)),
      importance: Math.max(...group.map(({ importance }) => importance)),
      permanence: isPermanent ? "permanent" : "ordinary",
      checkedAtMs: Math.max(...group.map(({ checkedAtMs }) => checkedAtMs)),
    };
    for (const other of others) yield { ...other, state: { kind: "superseded", by: first.id } };
  }
}

/** If members have merged two memories into each other, neither is active: the older becomes active again. */
function* findCycles(items: ItemRows): Generator<Item> {
  for (const item of items.values()) {
    if (!isMemory(item) || item.state.kind !== "superseded") continue;
    const circle = findCycle(items, item);
    if (circle.toSorted(compareAge)[0]?.id !== item.id) continue;
    const newest = Math.max(...circle.map(({ changedAtMs }) => changedAtMs));
    yield { ...item, state: { kind: "active" }, changedAtMs: newest + 1 };
  }
}

/** Returns the circle of successors that the memory is on; empty if it is on none. */
function findCycle(items: ItemRows, start: SharedMemory): readonly SharedMemory[] {
  const way: SharedMemory[] = [];
  let at: Item | undefined = start;
  while (at !== undefined && isMemory(at) && !way.includes(at)) {
    way.push(at);
    at = at.state.kind === "superseded" ? items.get(at.state.by) : undefined;
  }
  return at === start ? way : [];
}

function compareAge(one: SharedMemory, other: SharedMemory): number {
  return one.writtenAtMs - other.writtenAtMs || compareValues(one.id, other.id);
}
