// `core/instructions`: all ambient instructions as one aggregate.
import {
  absent,
  type LoadResult,
  type SourceDefinition,
  toWellFormed,
  Unavailable,
} from "../context/source.ts";
import { mapMaybePromise } from "../context/system-context.ts";
import type { FileCache } from "./file-cache.ts";
import { type FoundFiles, InstructionDiscovery, isHttpUrl } from "./instruction-discovery.ts";
import type { InstructionScope } from "./instruction-scope.ts";
import { type Instructions, instructionsSchema, renderInstructions } from "./instruction-text.ts";
import type { UrlCache } from "./instruction-urls.ts";

export const instructionsKey = "core/instructions";

interface InstructionOptions {
  readonly scope: InstructionScope;
  /** The cache that all sessions of a process share. */
  readonly files: FileCache;
  readonly urls: UrlCache;
  /**
   * Returns the instructions last announced to the session; their copy of an address is used if there is no
   * other.
   */
  readonly lastKnown: () => Instructions | null;
}

/** Builds the source of all ambient instructions of a Location, as one aggregate in the host's order. */
export function createInstructionsSource(
  options: InstructionOptions,
): SourceDefinition<Instructions> {
  const discovery = new InstructionDiscovery(options.scope, options.files);
  let last: Instructions = [];
  const toLoadResult = (current: Instructions | Unavailable): LoadResult<Instructions> => {
    if (current instanceof Unavailable) return current;
    // An unchanged value stays the same object, so that its hash can be cached.
    if (!areInstructionsEqual(last, current)) last = current;
    return last.length === 0 ? absent : last;
  };
  return {
    key: instructionsKey,
    schema: instructionsSchema,
    load: () => mapMaybePromise(observe(options, discovery), toLoadResult),
    readsFilesAlone: () => listAddresses(options.scope).length === 0,
    baseline: renderInstructions,
    update: (_previous, current) =>
      `These instructions replace all previously loaded ambient instructions.\n\n${renderInstructions(current)}`,
    removed: () => "Previously loaded instructions no longer apply.",
  };
}

function observe(
  options: InstructionOptions,
  discovery: InstructionDiscovery,
): Instructions | Unavailable | Promise<Instructions | Unavailable> {
  const addresses = listAddresses(options.scope);
  return addresses.length === 0
    ? mapMaybePromise(discovery.find(), toInstructions)
    : observeFilesAndUrls(options, discovery, addresses);
}

function listAddresses(scope: InstructionScope): readonly string[] {
  return scope.configured().filter(isHttpUrl);
}

function toInstructions(found: FoundFiles): Instructions | Unavailable {
  if (found instanceof Unavailable) return found;
  return found.map(({ path, content }) => ({ source: toWellFormed(path), content }));
}

async function observeFilesAndUrls(
  { urls, lastKnown }: InstructionOptions,
  discovery: InstructionDiscovery,
  addresses: readonly string[],
): Promise<Instructions | Unavailable> {
  const copying = Promise.all(addresses.map((url) => urls.observe(url)));
  const files = toInstructions(await discovery.find());
  const copies = await copying;
  if (files instanceof Unavailable) return files;
  const remembered = copies.includes(null) ? lastKnown() : null;
  const fetched = addresses.flatMap((url, index) => {
    const source = toWellFormed(url);
    const known = remembered?.find((one) => one.source === source)?.content;
    const content = copies[index] ?? known;
    return content === undefined ? [] : [{ source, content }];
  });
  return [...files, ...fetched];
}

function areInstructionsEqual(left: Instructions, right: Instructions): boolean {
  return (
    left.length === right.length &&
    left.every(
      ({ source, content }, index) =>
        source === right[index]?.source && content === right[index]?.content,
    )
  );
}
