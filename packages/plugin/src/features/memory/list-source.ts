// Builds Context Sources that list lines by ref; what a session wrote itself counts as announced.
import { decode } from "../../context/canonical.ts";
import { type Frame, frameLines } from "../../context/frames.ts";
import { toSourceKey } from "../../context/key.ts";
import {
  applyDelta,
  findEntry,
  type Snapshot,
  type SnapshotDelta,
} from "../../context/snapshot.ts";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  Unavailable,
} from "../../context/source.ts";
import { observeState } from "../../context/system-context.ts";
import type { Draft } from "../../ledger/entry.ts";
import { type HostPart, isTool } from "../../ledger/message.ts";
import type { SightingInput } from "../../ledger/policy.ts";
import { StorageError } from "../../storage/errors.ts";

interface ListItem {
  readonly ref: string;
}

interface ItemList<Item extends ListItem> {
  readonly items: readonly Item[];
}

interface ListWording<Item extends ListItem> {
  /** The tag around the lines. */
  readonly frame: Frame;
  /** The line above the whole list. */
  readonly head: string;
  readonly line: (item: Item) => string;
  /** Returns the key of an item; an item is news if no item of the former list had the same key. */
  readonly knownBy: (item: Item) => string;
  /** Returns the line above an update. @param fresh the number of new items */
  readonly changed: (fresh: number) => string;
  /** The words before the refs that are no longer listed. */
  readonly gone: string;
  readonly removed: string;
}

export function createListRenderers<Item extends ListItem>(
  words: ListWording<Item>,
): Required<Pick<SourceDefinition<ItemList<Item>>, "baseline" | "update" | "removed">> {
  const { frame, line } = words;
  const renderBaseline = ({ items }: ItemList<Item>) =>
    frameLines(frame, [words.head, ...items.map(line)]);
  return {
    baseline: renderBaseline,
    update(previous, current) {
      const now = new Set(current.items.map(({ ref }) => ref));
      const known = new Set(previous.items.map(words.knownBy));
      const fresh = current.items.filter((item) => !known.has(words.knownBy(item))).map(line);
      const gone = previous.items.filter(({ ref }) => !now.has(ref)).map(({ ref }) => ref);
      const left = gone.length === 0 ? [] : [`${words.gone}: ${gone.join(", ")}`];
      if (fresh.length + left.length === 0) return renderBaseline(current);
      return frameLines(frame, [words.changed(fresh.length), ...fresh, ...left]);
    },
    removed: () => words.removed,
  };
}

/** Caches a list: it returns the same object while nothing changes, so that the list is encoded once. */
export class CachedList<Item extends ListItem, Of extends readonly unknown[] = []> {
  last: ItemList<Item> = { items: [] };

  /** @param read throws if the list can't be read now; in that case nothing is announced or withdrawn */
  constructor(private readonly read: (...of: Of) => ItemList<Item>) {}

  load(...of: Of): LoadResult<ItemList<Item>> {
    try {
      const list = this.read(...of);
      if (JSON.stringify(list) !== JSON.stringify(this.last)) this.last = list;
      return this.last.items.length === 0 ? absent : this.last;
    } catch (error) {
      return toUnavailable(error);
    }
  }
}

/** Reports a list as unavailable: while it can't be read, nothing is announced or withdrawn. */
export function toUnavailable(error: unknown): Unavailable {
  return new Unavailable(error instanceof StorageError ? error.code : String(error));
}

// Handles a session's own writes: the call that wrote a memory or note counts as its announcement. Pure.

interface OwnItem extends ListItem {
  readonly text: string;
}

/** Holds the changes to a list that a tool call made. */
export interface ListCall {
  /** The texts that the call wrote, by ref. */
  readonly said: ReadonlyMap<string, string>;
  /** The refs that the call removed from the list. */
  readonly gone: readonly string[];
}

interface OwnListRules<One extends OwnItem> {
  readonly tool: string;
  readonly definition: SourceDefinition<ItemList<One>>;
  /** Parses the changes that a successful call made. */
  readonly read: (input: object, output: string) => ListCall;
  readonly ordered: (items: readonly One[]) => ItemList<One>;
}

/**
 * Drafts a witness for each call of the tool that is not on record: it states what the model believes the
 * list to be after its own call. The source announces whatever differs from the current list.
 * @param current the current list; null if it is unknown, in which case the source announces all of it
 */
export function draftOwnCallWitnesses<One extends OwnItem>(
  { tool, definition, read, ordered }: OwnListRules<One>,
  { messages, snapshot, standing }: SightingInput,
  current: ItemList<One> | null,
): readonly Draft[] {
  if (current === null) return [];
  const recorded = new Set(standing.flatMap(({ edit, partId }) => (edit === null ? [partId] : [])));
  const drafts: Draft[] = [];
  let belief = snapshot;
  for (const { info, parts } of messages) {
    for (const part of parts) {
      const call = recorded.has(part.id) ? null : findOwnCall(part, tool, read);
      const delta = call && applyOwnCall(definition, ordered, { call, belief, current });
      if (delta === null || call === null) continue;
      belief = applyDelta(belief, delta);
      const text = [...call.said].map(([ref, said]) => `[${ref}] ${said}`).join("\n");
      drafts.push({
        anchor: { messageId: info.id, partId: part.id },
        edit: null,
        proposal: null,
        delta,
        announced: text === "" ? [] : [{ key: toSourceKey(definition.key), text }],
      });
    }
  }
  return drafts;
}

function findOwnCall(
  part: HostPart,
  tool: string,
  read: OwnListRules<OwnItem>["read"],
): ListCall | null {
  if (!isTool(part) || part.tool !== tool || part.state.status !== "completed") return null;
  if (part.state.time.compacted !== undefined) return null;
  const { input, output } = part.state;
  return typeof input === "object" && input !== null ? read(input, output) : null;
}

/** Applies a call to what the model believes; null if the call changes nothing in it. */
function applyOwnCall<One extends OwnItem>(
  definition: SourceDefinition<ItemList<One>>,
  ordered: OwnListRules<One>["ordered"],
  {
    call,
    belief,
    current,
  }: { readonly call: ListCall; readonly belief: Snapshot; readonly current: ItemList<One> },
): SnapshotDelta | null {
  const key = toSourceKey(definition.key);
  const entry = findEntry(belief, key);
  const decoded = entry ? decode(definition.schema, entry.json) : null;
  if (entry && !decoded) return null;
  const believed = decoded?.value.items ?? [];
  const now = new Map(current.items.map((item) => [item.ref, item]));
  // An item that didn't fit into the list was still stated by the call, but is not part of the list.
  const said = [...call.said].flatMap(([ref, text]) => {
    const item = now.get(ref);
    return item ? [{ ...item, text }] : [];
  });
  const left = new Set([
    ...said.map(({ ref }) => ref),
    ...call.gone.filter((ref) => !now.has(ref)),
  ]);
  const items = [...believed.filter(({ ref }) => !left.has(ref)), ...said];
  if (items.length === 0) return entry ? { [key]: null } : null;
  const state = observeState(definition, key, ordered(items));
  if (state.kind !== "present" || state.value.hash === entry?.hash) return null;
  return { [key]: state.value.toSnapshotEntry() };
}
