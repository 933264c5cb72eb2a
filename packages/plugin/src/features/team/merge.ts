// Merges two copies of a project's items. Pure: the order of arrival doesn't change the result.
import { type MemoryId, pickStrongestSource } from "../memory/record.ts";
import { deriveFormerId } from "../memory/sqlite-changes.ts";
import { digestItem, type Item, type SharedMemory, type SharedNote } from "./item.ts";

export type ItemRows = ReadonlyMap<string, Item>;

/** Rows that the outcome may depend on. */
export interface Lookup {
  readonly ids: readonly string[];
  /** Active memories with these digests. */
  readonly digests: readonly string[];
  /** Memories that are superseded by these. */
  readonly successors: readonly string[];
}

export interface Merge {
  /** The rows that were found, as they are. */
  readonly known: ItemRows;
  /** The same rows and those that came, as they are from now on. */
  readonly merged: ItemRows;
}

/**
 * Merges what came into what is there, which the caller reads on demand: each step asks for rows, and takes
 * those that there are.
 */
export function* mergeStepwise(
  incoming: readonly Item[],
): Generator<Lookup, Merge, readonly Item[]> {
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
      ids: takeUnasked(wanted.ids, asked.ids),
      digests: takeUnasked(wanted.digests, asked.digests),
      successors: takeUnasked(wanted.successors, asked.successors),
    };
    if (Object.values(lookup).every((part) => part.length === 0)) return { known, merged };
    for (const item of yield lookup) known.set(item.id, item);
  }
}

/** Merges two copies into one. */
export function mergeAllItems(known: ItemRows, incoming: Iterable<Item>): Map<string, Item> {
  const merged = new Map(known);
  for (const item of incoming) takeItem(merged, item);
  settleItems(merged);
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

function takeUnasked(wanted: readonly string[], asked: Set<string>): readonly string[] {
  const fresh = [...new Set(wanted)].filter((one) => !asked.has(one));
  for (const one of fresh) asked.add(one);
  return fresh;
}

/** Puts one in; a wording that gives way stays as a former one. */
function takeItem(items: Map<string, Item>, item: Item): void {
  const present = items.get(item.id);
  const winner = present === undefined ? item : mergeItems(present, item);
  items.set(item.id, winner);
  if (winner.kind !== "memory") return;
  for (const one of [present, item]) {
    if (one?.kind === "memory" && one.text !== winner.text) takeItem(items, toSuperseded(one));
  }
}

/** Either way round the same; a row with itself is that row. */
function mergeItems(one: Item, other: Item): Item {
  if (one.kind === "gone" || other.kind === "gone") return mergeDeleted(one, other);
  if (one.kind === "memory" && other.kind === "memory") return joinMemories(one, other);
  if (one.kind === "note" && other.kind === "note") return joinNotes(one, other);
  // The same id for a note and a memory: chance does not make it.
  return one.kind === "memory" ? one : other;
}

function mergeDeleted(one: Item, other: Item): Item {
  const [gone] = [one, other]
    .filter(({ kind }) => kind === "gone")
    .toSorted((left, right) => compareValues(left.member ?? "", right.member ?? ""));
  return gone ?? one;
}

/** The newer edit wins. What only ever grows is the greater one's. */
function joinMemories(one: SharedMemory, other: SharedMemory): SharedMemory {
  const winner = compareMemories(one, other) >= 0 ? one : other;
  return {
    ...winner,
    writtenAtMs: Math.min(one.writtenAtMs, other.writtenAtMs),
    checkedAtMs: Math.max(one.checkedAtMs, other.checkedAtMs),
    usedAtMs: pickLaterTime(one.usedAtMs, other.usedAtMs),
  };
}

/** A note never changes but that it is done, and the first to do it has done it. */
function joinNotes(one: SharedNote, other: SharedNote): SharedNote {
  if (one.doneAtMs === null) return other;
  if (other.doneAtMs === null) return one;
  return one.doneAtMs <= other.doneAtMs ? one : other;
}

/** A total order: of two edits at the same time every machine takes the same one. */
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
    // Last: a former wording, which has no state of its own, stands in the same order.
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

/** Restores the rules between rows. Each step moves a row up in the order, never back. */
function settleItems(items: Map<string, Item>): void {
  for (;;) {
    const changes = [...findOrphans(items), ...findDuplicates(items), ...findCycles(items)];
    if (changes.length === 0) return;
    for (const change of changes) items.set(change.id, change);
  }
}

/** Former wordings go with their memory; what was merged into it says something of its own, and is back. */
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

/** The oldest of several active memories that say the same stands for all. */
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

/** Members who merged two memories into each other have left both out: the oldest is back. */
function* findCycles(items: ItemRows): Generator<Item> {
  for (const item of items.values()) {
    if (!isMemory(item) || item.state.kind !== "superseded") continue;
    const circle = findCycle(items, item);
    if (circle.toSorted(compareAge)[0]?.id !== item.id) continue;
    const newest = Math.max(...circle.map(({ changedAtMs }) => changedAtMs));
    yield { ...item, state: { kind: "active" }, changedAtMs: newest + 1 };
  }
}

/** The circle that it is on; empty: it is on none. */
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
