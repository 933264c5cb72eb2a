// Freezes an epoch's Baseline, and lays out the system strings that are sent.
import { type SourceKey, toSourceKey } from "../context/key.ts";
import { initialize, joinParts } from "../context/operations.ts";
import { findEntry, type Snapshot, type SnapshotEntry } from "../context/snapshot.ts";
import type { KeyedText } from "../context/source.ts";
import type { ObservedContext } from "../context/system-context.ts";
import type { HostText } from "../sources/host-blocks.ts";
import type { SentSystem } from "./turn-recorder.ts";

// Lays out the system strings that are sent, split at a breakpoint or joined.

/** `split` if the host gives the first two system strings a cache breakpoint each. */
export type SystemShape = "split" | "joined";

/** The strings that other plugins have put before and after the host's, unchanged. */
interface ForeignBlocks {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Returns the strings that are sent as the system prompt. In the split shape, preamble and Baseline each end
 * at a breakpoint, and live text comes after both; if a string of another plugin precedes them, it takes the
 * first breakpoint, and the two are one string. In the joined shape all of our text is one string, because
 * several leading system messages break some backends.
 */
export function layOutSystem(
  { preamble, baseline, live }: SentSystem,
  { before, after }: ForeignBlocks,
  shape: SystemShape,
): readonly string[] {
  switch (shape) {
    case "split": {
      const frozen = before.length > 0 ? [joinLayers(preamble, baseline)] : [preamble, baseline];
      return [...before, ...[...frozen, live].filter((text) => text !== ""), ...after];
    }
    case "joined": {
      // The host itself joins all strings after the first one, but only while the first one is unchanged.
      const rest = after.length > 0 ? [after.join("\n")] : [];
      return [...before, joinLayers(preamble, baseline, live), ...rest];
    }
  }
}

function joinLayers(...layers: readonly string[]): string {
  return layers.filter((text) => text !== "").join("\n");
}

/** A Baseline as it is stored and sent. */
interface FrozenBaseline {
  readonly text: string;
  readonly parts: readonly KeyedText[];
  readonly snapshot: Snapshot;
}

/** The host's blocks, in its order, with the keys of the sources that they state. */
const BLOCK_KEYS = [
  ["environment", toSourceKey("core/environment")],
  ["references", toSourceKey("core/references")],
  ["instructions", toSourceKey("core/instructions")],
  ["mcp", toSourceKey("core/mcp")],
  ["skills", toSourceKey("core/skills")],
] as const;

interface FreezeInput extends Pick<HostText, "blocks" | "standIns"> {
  /** The sources that the blocks state, read from the same text. */
  readonly stated: ObservedContext;
  /** The sources that messages.transform observed, without those that are read off the host's text. */
  readonly observed: ObservedContext;
  /** The model's state before this epoch, with the last text of each key. */
  readonly former: {
    readonly snapshot: Snapshot;
    readonly texts: ReadonlyMap<string, string>;
  } | null;
}

/**
 * Freezes an epoch's Baseline: the host's blocks byte for byte, then our own sources' parts. A source that
 * was announced before and can't be observed now is carried over with its last text, so that nothing
 * announced is lost and nothing is invented. A source that can't be observed now and never was is stated in
 * the host's own words, and announced once it can be observed.
 */
export function freezeBaseline(input: FreezeInput): FrozenBaseline {
  const hostKeys = new Set<string>(input.stated.map((source) => source.key));
  const carried = carryOverUnavailable(input);
  const blocks = BLOCK_KEYS.flatMap(([kind, key]): readonly KeyedText[] => {
    // A source that the host never states is stated among our own parts.
    const last = hostKeys.has(key) ? carried.get(key)?.text : undefined;
    const text = last ?? input.blocks[kind] ?? "";
    return text === "" ? [] : [{ key, text: text }];
  });
  const own = initialize(input.observed.filter((source) => !hostKeys.has(source.key)));
  const ownParts = own.kind === "initialized" ? own.parts : [];
  const kept = [...carried].flatMap(([key, { text }]): readonly KeyedText[] =>
    hostKeys.has(key) ? [] : [{ key, text }],
  );
  const standIns = collectStandIns(input, new Set([...hostKeys, ...carried.keys()]));
  const stated = initialize(input.stated);
  const host = blocks.map((block) => block.text).join("\n");
  const extra = joinParts([...ownParts, ...kept, ...standIns]);
  return {
    text: [host, extra].filter((text) => text !== "").join("\n\n"),
    parts: [...blocks, ...ownParts, ...kept, ...standIns],
    snapshot: {
      ...(stated.kind === "initialized" ? stated.snapshot : {}),
      ...(own.kind === "initialized" ? own.snapshot : {}),
      ...Object.fromEntries([...carried].map(([key, { entry }]) => [key, entry])),
    },
  };
}

function collectStandIns(
  { standIns, observed }: FreezeInput,
  stated: ReadonlySet<string>,
): readonly KeyedText[] {
  const unseen = new Set<string>(
    observed.flatMap(({ key, state }) => (state.kind === "unavailable" ? [key] : [])),
  );
  return BLOCK_KEYS.flatMap(([kind, key]): readonly KeyedText[] => {
    const text = standIns[kind] ?? "";
    return text === "" || stated.has(key) || !unseen.has(key) ? [] : [{ key, text }];
  });
}

/** The keys that the environment block states; that block is sent as the host has rendered it. */
const ENVIRONMENT_KEYS: ReadonlySet<SourceKey> = new Set(
  ["core/environment", "core/model", "core/date"].map(toSourceKey),
);

/** Carries over admitted keys whose source is unavailable now, with their last text and their entry. */
function carryOverUnavailable(
  input: FreezeInput,
): ReadonlyMap<SourceKey, { readonly text: string; readonly entry: SnapshotEntry }> {
  const carried = new Map<SourceKey, { text: string; entry: SnapshotEntry }>();
  const { former } = input;
  if (!former) return carried;
  for (const { key, state } of input.observed) {
    const entry = findEntry(former.snapshot, key);
    const text = former.texts.get(key);
    if (state.kind !== "unavailable" || ENVIRONMENT_KEYS.has(key)) continue;
    if (!entry || text === undefined) continue;
    carried.set(key, { text, entry });
  }
  return carried;
}
