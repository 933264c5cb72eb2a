// A Context Source whose value is a list of lines under refs: all of it once, then what is new and what is gone.
import { type Frame, frameLines } from "../../context/frames.ts";
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  Unavailable,
} from "../../context/source.ts";
import { StorageError } from "../../storage/errors.ts";

export interface ListItem {
  readonly ref: string;
}

export interface ItemList<Item extends ListItem> {
  readonly items: readonly Item[];
}

interface ListTexts<Item extends ListItem> {
  /** The tag around the lines. */
  readonly frame: Frame;
  /** Stands over the whole list. */
  readonly head: string;
  readonly line: (item: Item) => string;
  /** An item is news where the former list had none of the same. */
  readonly knownBy: (item: Item) => string;
  /** Stands over what has changed. @param fresh how much of it is news */
  readonly changed: (fresh: number) => string;
  /** Stands before the refs that are gone. */
  readonly gone: string;
  readonly removed: string;
}

export function listTexts<Item extends ListItem>(
  words: ListTexts<Item>,
): Required<Pick<SourceDefinition<ItemList<Item>>, "baseline" | "update" | "removed">> {
  const { frame, line } = words;
  const baseline = ({ items }: ItemList<Item>) =>
    frameLines(frame, [words.head, ...items.map(line)]);
  return {
    baseline,
    update(previous, current) {
      const now = new Set(current.items.map(({ ref }) => ref));
      const known = new Set(previous.items.map(words.knownBy));
      const fresh = current.items.filter((item) => !known.has(words.knownBy(item))).map(line);
      const gone = previous.items.filter(({ ref }) => !now.has(ref)).map(({ ref }) => ref);
      const left = gone.length === 0 ? [] : [`${words.gone}: ${gone.join(", ")}`];
      if (fresh.length + left.length === 0) return baseline(current);
      return frameLines(frame, [words.changed(fresh.length), ...fresh, ...left]);
    },
    removed: () => words.removed,
  };
}

/** A list as it was last read: the same object while nothing changes, so that it is encoded once. */
export class LastList<Item extends ListItem, Of extends readonly unknown[] = []> {
  last: ItemList<Item> = { items: [] };

  /** @param read throws where it can't be read now, which says nothing and forgets nothing */
  constructor(private readonly read: (...of: Of) => ItemList<Item>) {}

  load(...of: Of): LoadResult<ItemList<Item>> {
    try {
      const list = this.read(...of);
      if (JSON.stringify(list) !== JSON.stringify(this.last)) this.last = list;
      return this.last.items.length === 0 ? absent : this.last;
    } catch (error) {
      return unreadable(error);
    }
  }
}

/** A list that can't be read now announces nothing and withdraws nothing. */
export function unreadable(error: unknown): Unavailable {
  return new Unavailable(error instanceof StorageError ? error.code : String(error));
}
