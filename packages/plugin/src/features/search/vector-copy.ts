// Holds a project's vectors in memory while they are used.
import type { IndexFile } from "../../search-index/file.ts";
import type { Block } from "./vector-scan.ts";
import { type CopyExtent, VectorStore } from "./vector-store.ts";

/** The number of rows read at once: some milliseconds of the host's own thread. */
const ROWS = 2_000;

interface Copy {
  readonly blocks: Block<number>[];
  readonly extent: CopyExtent;
  last: number;
}

export class VectorCopy {
  #copy: Copy | null = null;

  constructor(
    private readonly file: Pick<IndexFile, "use">,
    private readonly pause: () => Promise<void>,
  ) {}

  /** Returns all vectors of the extent: it reads those added since, or all of them if any was removed. */
  async blocks(extent: CopyExtent): Promise<readonly Block<number>[]> {
    const copy = this.#begun(extent);
    this.#copy = copy;
    while (copy.last < extent.last) {
      const { block, last } = this.file.use((store) =>
        new VectorStore(store).block(extent, copy.last, ROWS),
      );
      if (last === null) break;
      copy.blocks.push(block);
      copy.last = last;
      await this.pause();
    }
    return copy.blocks;
  }

  release(): void {
    this.#copy = null;
  }

  #begun(extent: CopyExtent): Copy {
    const held = this.#copy;
    const isSame =
      held !== null &&
      held.extent.project === extent.project &&
      held.extent.removals === extent.removals &&
      held.extent.dimensions === extent.dimensions &&
      held.last <= extent.last;
    return isSame ? held : { blocks: [], extent, last: 0 };
  }
}
