import { wellFormed } from "../context/rendering.ts";
import { absent, type SourceDefinition, Unavailable } from "../context/source.ts";
import type { FileCache } from "./file-cache.ts";
import { InstructionDiscovery, isAddress } from "./instruction-discovery.ts";
import type { InstructionScope } from "./instruction-scope.ts";
import { type Instructions, instructionsSchema, instructionsText } from "./instruction-text.ts";
import type { UrlCache } from "./instruction-urls.ts";

export const instructionsKey = "core/instructions";

export interface InstructionOptions {
  readonly scope: InstructionScope;
  /** Shared by all sessions of a process. */
  readonly files: FileCache;
  readonly urls: UrlCache;
  /** What the session was last told: its copy of an address stands in where there is no other. */
  readonly lastTold: () => Instructions | null;
}

/** All ambient instructions of a Location as one aggregate, in the host's order. */
export function instructionsSource(options: InstructionOptions): SourceDefinition<Instructions> {
  const discovery = new InstructionDiscovery(options.scope, options.files);
  let last: Instructions = [];
  return {
    key: instructionsKey,
    schema: instructionsSchema,
    load: async () => {
      const current = await observe(options, discovery);
      if (current instanceof Unavailable) return current;
      // The same object while nothing changes: who hashes it may remember the hash.
      if (!sameInstructions(last, current)) last = current;
      return last.length === 0 ? absent : last;
    },
    baseline: instructionsText,
    update: (_previous, current) =>
      `These instructions replace all previously loaded ambient instructions.\n\n${instructionsText(current)}`,
    removed: () => "Previously loaded instructions no longer apply.",
  };
}

async function observe(
  { scope, urls, lastTold }: InstructionOptions,
  discovery: InstructionDiscovery,
): Promise<Instructions | Unavailable> {
  const addresses = scope.configured().filter(isAddress);
  const copying = Promise.all(addresses.map((url) => urls.observe(url)));
  const files = await discovery.find();
  const copies = await copying;
  if (files instanceof Unavailable) return files;
  const remembered = copies.includes(null) ? lastTold() : null;
  const fetched = addresses.flatMap((url, index) => {
    const source = wellFormed(url);
    const known = remembered?.find((one) => one.source === source)?.content;
    const content = copies[index] ?? known;
    return content === undefined ? [] : [{ source, content }];
  });
  return [...files.map(({ path, content }) => ({ source: wellFormed(path), content })), ...fetched];
}

function sameInstructions(left: Instructions, right: Instructions): boolean {
  return (
    left.length === right.length &&
    left.every(
      ({ source, content }, index) =>
        source === right[index]?.source && content === right[index]?.content,
    )
  );
}
