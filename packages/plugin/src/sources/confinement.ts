// Keeps what a project's own settings name inside the project, links resolved.
import type { BigIntStats } from "node:fs";
import { isWithin } from "../project/project-root.ts";
import { byThread, type Disk } from "./disk.ts";

export { isWithin };

/** Confines reads to a folder: no path, whatever links it uses, may lead outside. */
export class Confinement {
  /** Calls `refused` for each path that leads out. */
  constructor(
    private readonly root: string,
    private readonly refused: (path: string) => void,
  ) {}

  /** Returns the path without links; null where it lies outside. Rejects as the file system does. */
  async resolve(path: string, disk: Disk): Promise<string | null> {
    const target = await disk.realpath(path);
    if (isWithin(await disk.realpath(this.root), target)) return target;
    this.refused(path);
    return null;
  }

  /** Says whether the opened file is the resolved one: a folder on its way may have become a link. */
  async isStill(target: string, opened: BigIntStats, disk: Disk): Promise<boolean> {
    const there = await disk.lstat(target);
    const same = there.ino === opened.ino && there.dev === opened.dev;
    if (same && (await disk.realpath(target)) === target) return true;
    this.refused(target);
    return false;
  }

  /** Says whether a folder to list lies inside; one that can't be resolved has nothing to list. */
  async holds(folder: string): Promise<boolean> {
    return (await this.resolve(folder, byThread).catch(() => null)) !== null;
  }
}
