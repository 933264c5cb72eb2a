// The files below a folder that match a pattern, within bounds.
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type DotNames, expandBraces, parseSegments, type Segment } from "./glob-pattern.ts";

/** A place in the tree, with what of the pattern is still to match below it. */
interface Frontier {
  readonly directory: string;
  readonly segments: readonly Segment[];
}

/** A pattern over a huge tree must not hold a model call: the walk ends after this many folders. */
const maxFolders = 10_000;

/**
 * Paths below `cwd` that match, folders left out; level by level, in the host's order as far as it has
 * one (it lists sibling folders in the order in which they answer).
 */
export async function globFiles(
  pattern: string,
  cwd: string,
  dots: DotNames,
): Promise<readonly string[]> {
  const found = new Set<string>();
  let level: readonly Frontier[] = expandBraces(pattern).map((text) => ({
    directory: cwd,
    segments: parseSegments(text, dots),
  }));
  let folders = 0;
  while (level.length > 0 && folders < maxFolders) {
    folders += level.length;
    const steps = await Promise.all(level.map(step));
    for (const path of steps.flatMap(({ files }) => files)) found.add(path);
    level = steps.flatMap(({ below }) => below);
  }
  return [...found];
}

interface Step {
  readonly files: readonly string[];
  readonly below: readonly Frontier[];
}

async function step({ directory, segments }: Frontier): Promise<Step> {
  const [first, ...rest] = segments;
  if (first === undefined) return { files: [], below: [] };
  if (first.kind === "literal") return stepInto(join(directory, first.name), rest);
  // The host's library puts each entry that it reads before the last one.
  const entries = (await entriesOf(directory)).toReversed();
  const steps = entries.map((entry) => stepOnto(entry, join(directory, entry.name), first, rest));
  // `**` also stands for nothing: what follows it may match right here.
  if (first.kind === "globstar" && rest.length > 0) {
    steps.push(await step({ directory, segments: rest }));
  }
  return {
    files: steps.flatMap(({ files }) => files),
    below: steps.flatMap(({ below }) => below),
  };
}

function stepOnto(
  entry: Dirent,
  path: string,
  first: Exclude<Segment, { kind: "literal" }>,
  rest: readonly Segment[],
): Step {
  if (!first.matches(entry.name)) return { files: [], below: [] };
  const files = rest.length === 0 && !entry.isDirectory() ? [path] : [];
  if (first.kind === "shape") {
    const open = rest.length > 0 && !entry.isFile();
    return { files, below: open ? [{ directory: path, segments: rest }] : [] };
  }
  if (entry.isDirectory())
    return { files, below: [{ directory: path, segments: [first, ...rest] }] };
  if (!entry.isSymbolicLink() || first.links === "never") return { files, below: [] };
  const onward = rest.length > 0 ? rest : [{ ...first, links: "never" } as const];
  return { files, below: [{ directory: path, segments: onward }] };
}

async function stepInto(path: string, rest: readonly Segment[]): Promise<Step> {
  if (rest.length > 0) return { files: [], below: [{ directory: path, segments: rest }] };
  const found = await lstat(path).catch(() => null);
  return { files: found === null || found.isDirectory() ? [] : [path], below: [] };
}

/** A folder that can't be listed has no entries, as for the host. */
async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}
