// Walks a tree for the paths that match a pattern, in the host's order and within bounds.
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { Unavailable } from "../context/source.ts";
import {
  type DotNameMatching,
  expandBraces,
  parseSegments,
  type Segment,
  StepCounter,
  tooComplexReason,
} from "./glob-pattern.ts";
import type { Confinement } from "./read-file.ts";

/**
 * Limits one walk, which must not delay a model call or the host. Work is counted instead of timed, so that a
 * pattern is given up at the same point on every machine.
 */
export interface WalkBounds {
  /** The number of listed folders. */
  readonly folders: number;
  /** The number of names in these folders. */
  readonly names: number;
  /** The number of matching paths. */
  readonly files: number;
  /** Steps of comparing names with the pattern, as `StepCounter` counts them. */
  readonly steps: number;
}

export const defaultWalkBounds: WalkBounds = {
  folders: 10_000,
  names: 200_000,
  files: 1000,
  // This many steps take a processor one or two seconds; a plain pattern needs 300 steps for a name.
  steps: 100_000_000,
};

/**
 * How long a pattern that has reached a limit pauses; without a pause, each call would pay for another walk.
 */
const limitPauseMs = 60_000;

/**
 * Walks patterns; one that reached a limit pauses for a while, and concurrent walks of one pattern are shared.
 */
export class GlobWalker {
  readonly #walking = new Map<string, Promise<readonly string[] | Unavailable>>();
  readonly #resting = new Map<string, { readonly untilMs: number; readonly reason: Unavailable }>();

  /** `now` may be any clock in milliseconds. */
  constructor(
    private readonly bounds: WalkBounds = defaultWalkBounds,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async findFiles(
    pattern: string,
    place: Omit<Walk, "bounds" | "now">,
  ): Promise<readonly string[] | Unavailable> {
    const name = [place.cwd, place.dots, pattern].join("\0");
    const rest = this.#resting.get(name);
    if (rest && this.now() < rest.untilMs) return rest.reason;
    // A slow disk may outlast the call that started the walk: the next call must not start the same walk again.
    const walking = this.#walking.get(name) ?? this.#walk(name, pattern, place);
    this.#walking.set(name, walking);
    return walking;
  }

  async #walk(name: string, pattern: string, place: Omit<Walk, "bounds" | "now">) {
    try {
      const found = await globFiles(pattern, { ...place, bounds: this.bounds, now: this.now });
      if (found instanceof Unavailable) {
        this.#resting.set(name, { untilMs: this.now() + limitPauseMs, reason: found });
      }
      return found;
    } finally {
      this.#walking.delete(name);
    }
  }
}

/** Says where a pattern is walked, and how. */
interface Walk {
  readonly cwd: string;
  readonly dots: DotNameMatching;
  readonly bounds: WalkBounds;
  readonly now: () => number;
  /** Confines the walk; null lets links lead anywhere. */
  readonly confinement: Confinement | null;
}

/**
 * Returns the matching files below `cwd`, level by level, in the host's order as far as it has one (it lists
 * sibling folders in the order in which they answer). Unavailable once a limit is reached.
 */
export async function globFiles(
  pattern: string,
  walk: Walk,
): Promise<readonly string[] | Unavailable> {
  const alternatives = expandBraces(pattern);
  if (alternatives === null) {
    return new Unavailable(tooComplexReason);
  }
  const work = new StepCounter();
  const level = alternatives.map((text) => ({
    directory: walk.cwd,
    segments: parseSegments(text, walk.dots, work),
  }));
  try {
    return await new Walker(walk, work).find(level);
  } catch (error) {
    if (error instanceof WalkLimitError) return new Unavailable(error.message);
    throw error;
  }
}

class WalkLimitError extends Error {}

/** A folder in the tree, with the part of the pattern still to match below it. */
interface PendingFolder {
  readonly directory: string;
  readonly segments: readonly Segment[];
}

interface WalkStep {
  readonly files: readonly string[];
  readonly below: readonly PendingFolder[];
}

/** Limits how long names are matched before the host's event loop gets a turn. */
const sliceMs = 5;

/** Performs one walk and counts what it has used of its limits. */
class Walker {
  #sliceFrom: number;
  #folders = 0;
  #names = 0;

  constructor(
    private readonly walk: Walk,
    private readonly work: StepCounter,
  ) {
    this.#sliceFrom = walk.now();
  }

  async find(start: readonly PendingFolder[]): Promise<readonly string[]> {
    const found = new Set<string>();
    let level = start;
    while (level.length > 0) {
      const steps = await Promise.all(level.map((place) => this.#step(place)));
      for (const path of steps.flatMap(({ files }) => files)) found.add(path);
      this.#enforceLimit(found.size, this.walk.bounds.files, "matches more than %n files");
      level = dedupeFolders(steps.flatMap(({ below }) => below));
    }
    return [...found];
  }

  async #step({ directory, segments }: PendingFolder): Promise<WalkStep> {
    await this.#pause();
    const [first, ...rest] = segments;
    if (first === undefined) return { files: [], below: [] };
    if (first.kind === "literal") return stepInto(join(directory, first.text), rest);
    const steps: WalkStep[] = [];
    for (const entry of await this.#listEntries(directory)) {
      await this.#pause();
      steps.push(stepOnto(entry, join(directory, entry.name), first, rest));
      this.#enforceLimit(
        this.work.steps,
        this.walk.bounds.steps,
        "takes more than %n steps to match",
      );
    }
    // `**` also matches nothing: what follows it may match right here.
    if (first.kind === "globstar") {
      steps.push(await this.#step({ directory, segments: rest }));
    }
    return {
      files: steps.flatMap(({ files }) => files),
      below: steps.flatMap(({ below }) => below),
    };
  }

  /**
   * Lists a folder's entries in the order of the host's library, last first. A folder that can't be listed
   * has no entries.
   */
  async #listEntries(directory: string): Promise<readonly Dirent[]> {
    const { bounds, confinement } = this.walk;
    this.#folders += 1;
    this.#enforceLimit(this.#folders, bounds.folders, "goes through more than %n folders");
    if (confinement && !(await confinement.contains(directory))) return [];
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    this.#names += entries.length;
    this.#enforceLimit(this.#names, bounds.names, "goes through more than %n names");
    return entries.toReversed();
  }

  /** Gives the host's event loop a turn if this slice of time is used up. */
  async #pause(): Promise<void> {
    if (this.walk.now() - this.#sliceFrom < sliceMs) return;
    await setImmediate();
    this.#sliceFrom = this.walk.now();
  }

  #enforceLimit(used: number, most: number, words: string): void {
    if (used > most) throw new WalkLimitError(`its pattern ${words.replace("%n", String(most))}`);
  }
}

/** Removes duplicate folders: with `**` twice in a pattern, many ways lead to the same one. */
function dedupeFolders(level: readonly PendingFolder[]): readonly PendingFolder[] {
  const known = new Map<string, PendingFolder>();
  for (const place of level) {
    known.set([place.directory, ...place.segments.map(toSegmentKey)].join("\0"), place);
  }
  return [...known.values()];
}

function toSegmentKey(segment: Segment): string {
  return segment.kind === "globstar" ? `${segment.text} ${segment.links}` : segment.text;
}

function stepOnto(
  entry: Dirent,
  path: string,
  first: Exclude<Segment, { kind: "literal" }>,
  rest: readonly Segment[],
): WalkStep {
  if (!first.matches(entry.name)) return { files: [], below: [] };
  const files = rest.length === 0 && !entry.isDirectory() ? [path] : [];
  if (first.kind === "shape") {
    return { files, below: entry.isFile() ? [] : [{ directory: path, segments: rest }] };
  }
  if (entry.isDirectory())
    return { files, below: [{ directory: path, segments: [first, ...rest] }] };
  if (!entry.isSymbolicLink() || first.links === "never") return { files, below: [] };
  const onward = rest.length > 0 ? rest : [{ ...first, links: "never" } as const];
  return { files, below: [{ directory: path, segments: onward }] };
}

async function stepInto(path: string, rest: readonly Segment[]): Promise<WalkStep> {
  if (rest.length > 0) return { files: [], below: [{ directory: path, segments: rest }] };
  const found = await lstat(path).catch(() => null);
  return { files: found === null || found.isDirectory() ? [] : [path], below: [] };
}
