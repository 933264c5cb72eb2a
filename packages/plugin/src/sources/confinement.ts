// Keeps what a project's own settings name inside the project, links resolved.
import type { BigIntStats } from "node:fs";
import { isWithin } from "../project/project-root.ts";
import { byThread, type Disk } from "./disk.ts";

export { isWithin };

/** A folder that nothing read under it may lead out of, by whatever way. */
export class Confinement {
  /** `refused` is called for each path that leads out. */
  constructor(
    private readonly root: string,
    private readonly refused: (path: string) => void,
  ) {}

  /** The path without links; null where it lies outside. Rejects as the file system does. */
  async resolve(path: string, disk: Disk): Promise<string | null> {
    const target = await disk.realpath(path);
    if (isWithin(await disk.realpath(this.root), target)) return target;
    this.refused(path);
    return null;
  }

  /** Whether the file that was opened is the one that was resolved: a folder on its way may be a link by now. */
  async isStill(target: string, opened: BigIntStats, disk: Disk): Promise<boolean> {
    const there = await disk.lstat(target);
    const same = there.ino === opened.ino && there.dev === opened.dev;
    if (same && (await disk.realpath(target)) === target) return true;
    this.refused(target);
    return false;
  }

  /** Whether a folder that is to be listed lies inside; one that can't be resolved has nothing to list. */
  async holds(folder: string): Promise<boolean> {
    return (await this.resolve(folder, byThread).catch(() => null)) !== null;
  }
}
