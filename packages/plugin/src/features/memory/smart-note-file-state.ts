// Describes a file's present state in a word; a file that has not changed is not read again.
import { readFileSync, realpathSync, statSync } from "node:fs";
import { hashText } from "../../context/canonical.ts";
import { isWithin } from "../../sources/confinement.ts";

/** Larger files go by their size and time. */
const MAX_BYTES = 1_000_000;
/** At most this many files are remembered. */
const MAX_CACHED = 200;

export class FileStates {
  readonly #known = new Map<string, { readonly stamp: string; readonly state: string }>();

  /** @param root no file outside it is read, links resolved */
  constructor(private readonly root: string) {}

  /** Returns null when there is no such file. */
  of(path: string): string | null {
    try {
      return this.#read(path);
    } catch (error) {
      // A file that may not be read has the error's code as its state.
      return error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    }
  }

  #read(path: string): string | null {
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return null;
    const stamp = `${stat.size} ${stat.mtimeNs} ${stat.ino}`;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.state;
    if (!isWithin(realpathSync(this.root), realpathSync(path))) return "outside";
    const isRead = stat.isFile() && stat.size <= MAX_BYTES;
    const state = isRead ? hashText(readFileSync(path, "latin1")) : stamp;
    if (this.#known.size >= MAX_CACHED) this.#known.clear();
    this.#known.set(path, { stamp, state });
    return state;
  }
}
